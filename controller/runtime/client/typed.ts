import type { Configuration, RequestContext, ResponseContext } from '@kubernetes/client-node';
import { MOST_BYTES, textWithin } from './answers.ts';
import { type Call, Transport, type TransportParts } from './transport.ts';

type Library = typeof import('@kubernetes/client-node');

/** What calls are made with, and how long an answer may take (30 s). */
export interface TypedParts extends TransportParts {
  timeoutMs?: number;
}

/** The typed calls of client-node are made to a path: the transport knows the server. */
const SERVER = 'http://server.invalid';

/**
 * A typed API of client-node, such as CoreV1Api, that sends its calls over our transport: with our credentials, CA and client
 * certificate, deadline and bounds, and our ApiError for what is refused. For single calls of tools and tests: loading the
 * library takes 150 ms and 50 MB, and its watches know neither pages nor bookmarks.
 * @param choose picks the API out of the library, as `({ CoreV1Api }) => CoreV1Api`
 */
export async function typedApi<A>(
  choose: (library: Library) => new (configuration: Configuration) => A,
  { timeoutMs = 30_000, ...parts }: TypedParts,
): Promise<A> {
  const library = await import('@kubernetes/client-node');
  const transport = new Transport(parts);
  const send = (request: RequestContext): Promise<ResponseContext> =>
    transport.run(callOf(request), {
      ms: timeoutMs,
      signal: request.getSignal(),
      read: async ({ status, headers, body }) => {
        const text = await textWithin({ body, headers }, MOST_BYTES.other);
        return new library.ResponseContext(status, Object.fromEntries(headers), bodyOf(text));
      },
    });
  const Chosen = choose(library);
  return new Chosen(
    library.createConfiguration({
      baseServer: new library.ServerConfiguration(SERVER, {}),
      httpApi: library.wrapHttpLibrary({ send }),
    }),
  );
}

function callOf(request: RequestContext): Call {
  const method = String(request.getHttpMethod());
  const url = new URL(request.getUrl());
  const body = request.getBody();
  return {
    what: `${method} ${url.pathname}`,
    method,
    path: url.pathname + url.search,
    template: 'typed',
    headers: Object.fromEntries(Object.entries(request.getHeaders()).map(([key, value]) => [key.toLowerCase(), value])),
    idempotent: method === 'GET',
    ...(body !== undefined && { body: String(body) }),
  };
}

const bodyOf = (text: string): ResponseContext['body'] => ({
  text: async () => text,
  binary: async () => Buffer.from(text),
  stream: () => null,
});
