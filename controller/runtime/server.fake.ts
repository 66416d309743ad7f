import { LOCAL } from '../../test/fixtures/local.ts';
import { type Connection, noCredentials } from './client/connection.ts';
import { systemClock } from './clock.ts';

/** A request as the scripted server got it. */
export interface Received {
  method: string;
  /** Path with query. */
  path: string;
  headers: Headers;
  body: string;
}

/** What the scripted server answers to one request. */
export type Answer = (received: Received) => Response | Promise<Response>;

/** An HTTP server that answers one request after the other as its script says, and remembers them. */
export class FakeServer implements Disposable {
  readonly received: Received[] = [];
  readonly #script: Answer[];
  readonly #server: ReturnType<typeof Bun.serve>;

  constructor(...script: Answer[]) {
    this.#script = script;
    this.#server = Bun.serve({
      ...LOCAL,
      fetch: (request) => this.#answer(request),
    });
  }

  /** A way to this server without credentials. */
  get connection(): Connection {
    return { server: `http://127.0.0.1:${this.#server.port}`, credentials: noCredentials };
  }

  /** Methods and paths of the requests so far. */
  get requests(): string[] {
    return this.received.map(({ method, path }) => `${method} ${path}`);
  }

  [Symbol.dispose](): void {
    void this.#server.stop(true);
  }

  async #answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const { method, headers } = request;
    const received = { method, path: url.pathname + url.search, headers, body: await request.text() };
    this.received.push(received);
    const answer = this.#script[this.received.length - 1];
    return answer ? answer(received) : new Response('the script is at its end', { status: 500 });
  }
}

/** A JSON answer. */
export const json =
  (body: unknown, init: ResponseInit = {}): Answer =>
  () =>
    Response.json(body, init);

/** A refusal as kube-apiserver words it. */
export function status(code: number, reason: string, headers: Record<string, string> = {}): Answer {
  const body = { kind: 'Status', status: 'Failure', code, reason, message: `because ${reason}` };
  return json(body, { status: code, headers });
}

/** No answer until the client gives up. */
export const hang: Answer = () => new Promise(() => {});

/** An answer whose body a test writes piece by piece. */
export class FakeStream {
  readonly #pieces = new TransformStream<string, string>();
  readonly #writer = this.#pieces.writable.getWriter();

  readonly answer: Answer = () => new Response(this.#pieces.readable.pipeThrough(new TextEncoderStream()));

  async write(text: string): Promise<void> {
    await this.#writer.write(text);
  }

  /** A line of a watch. */
  async event(type: string, object: unknown): Promise<void> {
    await this.write(`${JSON.stringify({ type, object })}\n`);
  }

  /** Ends the body as a server does that is done. */
  async end(): Promise<void> {
    await this.#writer.close();
  }

  /** Resolves when the client has gone away. */
  get left(): Promise<void> {
    return this.#writer.closed.catch(() => {});
  }
}

/** Lets the event loop turn until the fact holds; real input and output needs turns, not time. */
export async function turnUntil(fact: () => boolean): Promise<void> {
  while (!fact()) await systemClock.sleep(0);
}
