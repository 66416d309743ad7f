import type { Connection } from '../../controller/runtime/client/api.ts';

export interface Call {
  method?: string;
  /** With the query. */
  path: string;
  /** Sent as JSON. */
  body?: unknown;
  /** `application/json` unless said. */
  contentType?: string;
  timeoutMs?: number;
}

/**
 * One request to an API server, with nothing in between: no retry, no pooled connection. What starts and tests a server
 * does not lean on the client that is tested against it. Returns the parsed JSON, or the text when it is none; throws
 * with the status and the answer when the status is no success.
 */
export async function call(connection: Connection, { method = 'GET', path, body, ...rest }: Call): Promise<unknown> {
  const authorization = await connection.credentials.header();
  const answer = await fetch(connection.server + path, {
    method,
    keepalive: false,
    ...(connection.tls === undefined ? {} : { tls: connection.tls }),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    headers: {
      'content-type': rest.contentType ?? 'application/json',
      ...(authorization === undefined ? {} : { authorization }),
    },
    signal: AbortSignal.timeout(rest.timeoutMs ?? 10_000),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${connection.server}${path}: ${answer.status} ${text}`);
  return answer.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text) : text;
}
