import { type Clock, Deadline, unlessAborted } from '../clock.ts';
import { currentAsker } from '../fairness/asking.ts';
import type { OpenShare } from '../fairness/openshare.ts';
import type { Limiter } from '../fairness/rate.ts';
import type { ClusterRoom } from '../memory/cacheroom.ts';
import type { Log } from '../observability/log.ts';
import type { Labels, Metrics, MetricTable } from '../observability/metrics.ts';
import { AnswerTooLarge, beginningWithin, MOST_BYTES, Underway } from './answers.ts';
import type { Connection, Proof } from './connection.ts';
import { ApiError, type Attempt, connectionError, credentialsError, statusError, timeoutError } from './errors.ts';
import { Warnings } from './warnings.ts';

/** Metrics of calls, with client-go's names and labels (hack/spec/mcm.md 10.2). */
export const apiMetrics = {
  rest_client_requests_total: {
    type: 'counter',
    help: 'Requests to an API server, by answer; code <error> is no answer; host is default for the default target, namespace/name for that of a Cluster',
    labels: ['code', 'method', 'host'],
  },
  rest_client_request_latency_seconds: {
    type: 'histogram',
    help: 'Time from a request to the head of its answer, by path template',
    labels: ['verb', 'url'],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  },
} as const satisfies MetricTable;

/** How much of a refusal is logged, in characters. */
const QUOTED = 1024;

/**
 * For so long after a call without an answer no connection of the pool is taken, milliseconds. A balancer may have forgotten
 * them all, and they would be handed out one by one; Bun closes those that were idle for five minutes.
 */
const DISTRUST_MS = 330_000;

/** How often a call is retried that was answered with Retry-After (429, 503). */
const MAX_RETRIES = 4;

/** One request, as it is to be sent. */
export interface Call extends Attempt {
  /** Path with its query. */
  path: string;
  /** Path without names, for metrics. */
  template: string;
  headers?: Readonly<Record<string, string>>;
  /** JSON. */
  body?: string;
  /** A second time does no harm, even if the first one was done. */
  idempotent: boolean;
}

/** What calls are made with: as fast as they come without a limiter, unmeasured without metrics. */
export interface TransportParts {
  connection: Connection;
  clock: Clock;
  limiter?: Limiter | undefined;
  metrics?: Metrics | undefined;
  userAgent?: string | undefined;
  /** Told what servers warn of, and at debug what they say that refuse calls. */
  log?: Log | undefined;
  /** What the server is called in metrics; the host of its URL when absent, which must then be one of few. */
  server?: string | undefined;
  /** Each call goes on a connection of its own, for calls by which others judge whether somebody lives. */
  ownConnections?: boolean | undefined;
  /** Where what comes of answers counts until they are whole; absent for servers that are trusted. */
  underway?: ClusterRoom | undefined;
  /** Bounds the calls that are open at once, watches not counted. */
  share?: OpenShare | undefined;
}

/** How a call is to be run. */
export interface Running<V> {
  ms: number;
  signal?: AbortSignal | undefined;
  read: (response: Response) => Promise<V>;
}

/** Sends calls to one API server: at the limiter's rate, with credentials, and again when that is the thing to do. */
export class Transport {
  readonly #parts: TransportParts;
  readonly #warnings: Warnings | undefined;
  /** The label of metrics that says which server. */
  readonly #host: string;
  /** Until when no pooled connection is taken, on the monotonic clock. */
  #distrustUntil = Number.NEGATIVE_INFINITY;
  #forgotten = false;
  /** Labels of what was counted so far, by their words. */
  readonly #counted = new Map<string, Labels>();

  constructor(parts: TransportParts) {
    this.#parts = parts;
    this.#warnings = parts.log && new Warnings(parts.log);
    this.#host = parts.server ?? new URL(parts.connection.server).host;
  }

  /** Takes the server out of the metrics: it is called no more. */
  forget(): void {
    this.#forgotten = true;
    for (const labels of this.#counted.values()) this.#parts.metrics?.remove('rest_client_requests_total', labels);
    this.#counted.clear();
  }

  /**
   * Makes a call and reads its answer within `ms`, which count from when the limiter let it through.
   * Throws an ApiError, or the signal's reason when that aborts.
   */
  async run<V>(call: Call, options: Running<V>): Promise<V> {
    const { clock, limiter, share } = this.#parts;
    const { ms, read, signal: parent } = options;
    await limiter?.take(parent, currentAsker());
    const deadline = new Deadline({ clock, ms, reason: () => timeoutError(call, ms), ...(parent && { parent }) });
    let leave: (() => void) | undefined;
    try {
      leave = await share?.enter(deadline.signal, currentAsker());
      return await read(await this.#send(call, deadline));
    } catch (error) {
      if (deadline.signal.aborted) throw deadline.signal.reason;
      throw error instanceof ApiError ? error : connectionError(call, error);
    } finally {
      leave?.();
      deadline.end();
    }
  }

  /**
   * Makes a call and reads its answer line by line, as long as it lasts; throws as `run` does.
   * @param opened called when the head of the answer is there
   */
  async *lines(call: Call, signal: AbortSignal, opened = () => {}): AsyncGenerator<string> {
    await this.#parts.limiter?.take(signal, currentAsker());
    try {
      const { body } = await this.#send(call, { signal, at: Number.POSITIVE_INFINITY });
      opened();
      for await (const lines of linesOf(body ?? [], { room: this.#parts.underway })) yield* lines;
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof ApiError ? error : connectionError(call, error);
    }
  }

  /** Goes on after a 401 with fresh credentials, once, and after a Retry-After that ends before the deadline. */
  async #send(call: Call, deadline: Pick<Deadline, 'signal' | 'at'>): Promise<Response> {
    const { clock, connection, limiter } = this.#parts;
    let renewed = false;
    for (let tries = 1; ; tries++) {
      const proof: Proof = { header: undefined, cert: undefined };
      const response = await this.#exchange(call, deadline.signal, proof);
      if (response.ok) return response;
      const error = await this.#refusal(call, response);
      if (error.status === 401 && !renewed) {
        connection.credentials.refresh(proof);
        renewed = true;
        continue;
      }
      const wait = retryAfter(call, error);
      if (wait === undefined || tries > MAX_RETRIES || clock.monotonic() + wait >= deadline.at) throw error;
      await clock.sleep(wait, deadline.signal);
      await limiter?.take(deadline.signal, currentAsker());
    }
  }

  /** The words of whoever refuses are told to operators alone: they may be of any server that somebody names in a kubeconfig. */
  async #refusal(call: Call, response: Response): Promise<ApiError> {
    const { clock, log } = this.#parts;
    const { status, headers } = response;
    const body = await beginningWithin(response, MOST_BYTES.refusal);
    log?.debug('a call is refused', { call: call.what, status, answer: body.slice(0, QUOTED) });
    return statusError(call, { status, headers, body }, clock.now());
  }

  /** @param proof is filled in with what was sent */
  async #exchange(call: Call, signal: AbortSignal, proof: Proof): Promise<Response> {
    const { connection, clock } = this.#parts;
    const headers = await this.#headers(call, signal);
    const { tls, send = fetch } = connection;
    Object.assign(proof, { header: headers['authorization'], cert: tls?.cert });
    const start = clock.monotonic();
    try {
      const response = await send(connection.server + call.path, {
        method: call.method,
        headers,
        signal,
        ...(call.body !== undefined && { body: call.body }),
        ...(tls && { tls }),
        ...(this.#isApart() && { keepalive: false }),
        // Time is the caller's, credentials go nowhere else, and answers.ts unpacks within bounds.
        timeout: false,
        redirect: 'manual',
        decompress: false,
      });
      this.#measure(call, { code: codeOf(response), start });
      this.#warnings?.tell(response.headers.get('warning'), call.what);
      return response;
    } catch (error) {
      if (signal.aborted) this.#distrustUntil = clock.monotonic() + DISTRUST_MS;
      this.#measure(call, { code: '<error>', start });
      throw error;
    }
  }

  #isApart(): boolean {
    const { clock, ownConnections } = this.#parts;
    return ownConnections === true || clock.monotonic() < this.#distrustUntil;
  }

  async #headers(call: Call, signal: AbortSignal): Promise<Record<string, string>> {
    const { connection, userAgent = 'drover' } = this.#parts;
    try {
      const header = connection.credentials.header();
      const authorization = header instanceof Promise ? await unlessAborted(header, signal) : header;
      return {
        accept: 'application/json',
        'user-agent': userAgent,
        ...(authorization !== undefined && { authorization }),
        ...call.headers,
      };
    } catch (error) {
      throw credentialsError(call, error);
    }
  }

  #measure({ method, template }: Call, { code, start }: { code: string; start: number }): void {
    // Calls that were under way when it was forgotten end later.
    if (this.#forgotten) return;
    const { clock, metrics } = this.#parts;
    const seconds = (clock.monotonic() - start) / 1000;
    const labels = { code, method, host: this.#host };
    this.#counted.set(`${code} ${method}`, labels);
    metrics?.count('rest_client_requests_total', labels);
    metrics?.observe('rest_client_request_latency_seconds', seconds, { verb: method, url: template });
  }
}

/** Codes that API servers and what stands before them give; of others only the class is told, so that no server makes up labels. */
const CODES = new Set([
  200, 201, 202, 204, 301, 302, 307, 400, 401, 403, 404, 405, 406, 408, 409, 410, 413, 415, 422, 429, 500, 501, 502,
  503, 504,
]);

const codeOf = ({ status }: Response): string => (CODES.has(status) ? String(status) : `${Math.floor(status / 100)}xx`);

/**
 * How many milliseconds the server asks to wait before it is asked again; undefined when it is not to be asked again.
 * With 429 it did nothing; with 503 it may have, so that only calls go on that a second time does no harm.
 */
function retryAfter({ idempotent }: Call, { status, retryAfterMs }: ApiError): number | undefined {
  return status === 429 || (status === 503 && idempotent) ? retryAfterMs : undefined;
}

/** How long a line may be. */
export interface LineBounds {
  /** Characters. */
  most?: number;
  /** Where what came of a line counts until it is whole; what it refuses is too long, too. */
  room?: ClusterRoom | undefined;
}

/**
 * The lines of a stream, those of a chunk at a time. Throws when the stream ends within a line: then the connection was cut; and
 * when a line is longer than `most` characters. Leaving the loop early cancels the stream. A line costs what it is long,
 * however many chunks it comes in.
 */
export async function* linesOf(
  stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { most = MOST_BYTES.line, room }: LineBounds = {},
): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let begun: string[] = [];
  let length = 0;
  const underway = new Underway(room);
  try {
    for await (const chunk of stream) {
      const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n');
      begun.push(first);
      length += first.length;
      if (length > most || underway.isTooMuch(length)) throw new AnswerTooLarge(Math.min(most, length));
      const rest = others.pop();
      if (rest === undefined) continue;
      underway.end();
      yield [begun.join(''), ...others];
      begun = [rest];
      length = rest.length;
    }
  } finally {
    underway.end();
  }
  if (length > 0) throw new Error(`the stream ended within a line, after ${length} characters of it`);
}
