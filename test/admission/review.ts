import type { Hono } from 'hono';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { machineGroup, version as served } from '../../schemas/kind.ts';
import { kinds } from '../../schemas/kinds.ts';
import type { Answer } from '../../webhook/admission/response.ts';

/** A request as a test states it; what is absent is as the API server would fill it in for a plain user. */
export interface Asked {
  now?: KubeObject | null;
  before?: KubeObject;
  operation?: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  subResource?: string;
  /** Plural that the request is about, where the object's kind does not say: a Scale is of many. */
  resource?: string;
  user?: Record<string, unknown>;
  /** Named by whoever applies or patches. */
  fieldManager?: string;
}

/** The uid of every review that `reviewOf` makes. */
export const UID = 'b7b2c3a8-0000-4000-8000-000000000001';

const place = { group: machineGroup, version: served };

/** An AdmissionReview as the API server sends it. */
export function reviewOf({ now, before, operation, subResource, resource: plural, user, fieldManager }: Asked) {
  const object = now ?? before;
  const [group = '', version = ''] = (object?.apiVersion ?? '').split('/');
  const kind = { group, version, kind: object?.kind ?? '' };
  const own = kinds.find((known) => known.kind === kind.kind)?.plural ?? 'things';
  const resource = plural ? { ...place, resource: plural } : { group, version, resource: own };
  const does = operation ?? (before ? 'UPDATE' : 'CREATE');
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: UID,
      kind,
      resource,
      ...(subResource ? { subResource } : {}),
      requestKind: kind,
      requestResource: resource,
      name: object?.metadata.name ?? '',
      namespace: object?.metadata.namespace ?? 'default',
      operation: does,
      userInfo: user ?? { username: 'alice', groups: ['herders', 'system:authenticated'] },
      object: now ?? null,
      oldObject: before ?? null,
      dryRun: false,
      options: {
        kind: does === 'UPDATE' ? 'UpdateOptions' : 'CreateOptions',
        apiVersion: 'meta.k8s.io/v1',
        ...(fieldManager ? { fieldManager } : {}),
      },
    },
  };
}

/** The answer of one of the endpoints, which has HTTP status 200 and the request's uid. */
export async function answerTo(app: Hono, path: '/validate' | '/mutate', asked: Asked): Promise<Answer> {
  const response = await app.request(path, { method: 'POST', body: JSON.stringify(reviewOf(asked)) });
  const body = (await response.json()) as { response: Answer & { uid: string } };
  if (response.status !== 200 || body.response.uid !== UID)
    throw new Error(`${path} said ${response.status}: ${JSON.stringify(body)}`);
  const { uid: _uid, ...answer } = body.response;
  return answer;
}
