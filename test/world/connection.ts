import { type Connection, noCredentials } from '../../controller/runtime/client/connection.ts';
import type { Answer, ApiServer, Request } from './apiserver.ts';
import type { WatchSink } from './watching.ts';

const encoder = new TextEncoder();

/** A connection to a server in memory, which answers at once and never fails. */
export function connectionTo(server: ApiServer): Connection {
  return {
    server: 'http://world',
    credentials: noCredentials,
    send: async (url, init) => {
      init.signal?.throwIfAborted();
      return responseOf(server.handle(requestOf(url, init)), init.signal);
    },
  };
}

/** A request in the server's terms. */
export function requestOf(url: string, { method = 'GET', headers, body }: BunFetchRequestInit): Request {
  const contentType = (headers as Record<string, string> | undefined)?.['content-type'];
  const { pathname, search } = new URL(url);
  return {
    method,
    path: pathname + search,
    ...(contentType !== undefined && { contentType }),
    ...(typeof body === 'string' && { body }),
  };
}

/** An answer as it comes over the wire; a watch begins with it and ends with the signal. */
export function responseOf(answer: Answer, signal: AbortSignal | null | undefined): Response {
  if (!('watch' in answer)) return jsonResponse(answer);
  let stop = () => {};
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      const sink = sinkOf(controller);
      stop = answer.watch(sink);
      signal?.addEventListener('abort', () => controller.error(signal.reason), { once: true });
      signal?.addEventListener('abort', () => stop(), { once: true });
    },
    cancel: () => stop(),
  });
  return new Response(stream);
}

/** An answer that is no watch. */
export const jsonResponse = ({ code, body }: { code: number; body: object }): Response =>
  new Response(JSON.stringify(body), { status: code, headers: { 'content-type': 'application/json' } });

const sinkOf = (controller: ReadableStreamDefaultController<Uint8Array>): WatchSink => ({
  line: (text) => controller.enqueue(encoder.encode(text)),
  end: () => controller.close(),
});
