import type { Connection } from '../../../controller/runtime/client/api.ts';
import type { KubeObject } from '../../../controller/runtime/k8s/object.ts';

/** What an API server answered to a write. */
export interface Said {
  /** 2xx when it is stored. */
  code: number;
  /** The object, or the Status that says why not. */
  body: KubeObject & { reason?: string; message?: string; details?: { causes?: Cause[] } };
  warnings: string[];
}

interface Cause {
  field: string;
  message: string;
}

/** Creates (POST), replaces (PUT) or deletes an object, as a client does that shows warnings: the controllers' own does not. */
export async function say(
  { server, tls, credentials }: Connection,
  { method, path, object }: { method: 'POST' | 'PUT' | 'DELETE'; path: string; object?: KubeObject },
): Promise<Said> {
  const authorization = await credentials.header();
  const answer = await fetch(server + path, {
    method,
    ...(tls ? { tls } : {}),
    headers: { 'content-type': 'application/json', ...(authorization ? { authorization } : {}) },
    ...(object ? { body: JSON.stringify(object) } : {}),
  });
  const body = (await answer.json()) as Said['body'];
  return { code: answer.status, body, warnings: warningsIn(answer.headers.get('warning') ?? '') };
}

/** The texts of a Warning header (RFC 7234, 5.5). */
const warningsIn = (header: string): string[] =>
  Array.from(header.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g), ([, text = '']) => text.replaceAll(/\\(.)/g, '$1'));
