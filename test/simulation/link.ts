import { type Connection, noCredentials } from '../../controller/runtime/client/connection.ts';
import type { Answer, Request } from '../world/apiserver.ts';
import type { WorldClock } from '../world/clock.ts';
import { jsonResponse, requestOf } from '../world/connection.ts';
import { Refusal } from '../world/refusal.ts';
import type { Chance } from './chance.ts';
import type { FaultRates } from './faultrates.ts';
import type { Lifetime } from './lifetime.ts';
import type { Server } from './server.ts';
import { tornResponse, watchResponse } from './stream.ts';
import type { Trace } from './trace.ts';

/** A way from a process to an API server, on which requests and answers take time and get lost. */
export interface LinkParts {
  server: Server;
  clock: WorldClock;
  chance: Chance;
  trace: Trace;
  faultRates(): FaultRates;
  /** The process that sends. */
  who: string;
  lifetime: Lifetime;
  /** For how long a line of the watch of this path is kept back, milliseconds. */
  lag(path: string): number;
  /** Is told each request when it is sent, and again when the server has done it: the process may die of it. */
  sent(request: Request): void;
  done(request: Request): void;
}

/** What becomes of a request. */
type RequestOutcome = 'answered' | 'lost' | 'unanswered' | 'refused' | 'conflict';

/** Milliseconds that a request or an answer takes. */
const LATENCY = { from: 1, to: 15 };

/** Errors that a server answers. One that is `after` is answered when the work is done. */
const serverErrors = [
  { code: 429, reason: 'TooManyRequests', after: false },
  { code: 500, reason: 'InternalError', after: false },
  { code: 500, reason: 'InternalError', after: true },
  { code: 503, reason: 'ServiceUnavailable', after: false },
  { code: 504, reason: 'Timeout', after: true },
] as const;

/** A connection over a link, for the real client. */
export const connectionOver = (link: LinkParts): Connection => ({
  server: `http://${link.server.name}`,
  credentials: noCredentials,
  send: (url, init) =>
    new Promise((resolve, reject) =>
      new Exchange(link, { resolve, reject, signal: init.signal }).begin(requestOf(url, init)),
    ),
});

interface Caller {
  resolve(response: Response): void;
  reject(error: unknown): void;
  signal: AbortSignal | null | undefined;
}

/** One request and what comes of it. */
class Exchange {
  readonly #link: LinkParts;
  readonly #caller: Caller;
  #over = false;

  constructor(link: LinkParts, caller: Caller) {
    this.#link = link;
    this.#caller = caller;
  }

  begin(request: Request): void {
    const { lifetime, clock, chance } = this.#link;
    const { signal } = this.#caller;
    if (lifetime.dead) return;
    if (signal?.aborted) this.#end(() => this.#caller.reject(signal.reason));
    if (this.#over) return;
    signal?.addEventListener('abort', () => this.#end(() => this.#caller.reject(signal.reason)), { once: true });
    this.#link.sent(request);
    const outcome = this.#outcome(request);
    clock.after(chance.between(LATENCY.from, LATENCY.to), () => this.#arrive(request, outcome));
  }

  #outcome({ method }: Request): RequestOutcome {
    const { chance } = this.#link;
    const rates = this.#link.faultRates();
    if (chance.happens(rates.lostRequest)) return 'lost';
    if (chance.happens(rates.lostAnswer)) return 'unanswered';
    if (chance.happens(rates.refused)) return 'refused';
    const replaces = method === 'PATCH' || method === 'PUT';
    return replaces && chance.happens(rates.conflict) ? 'conflict' : 'answered';
  }

  #arrive(request: Request, outcome: RequestOutcome): void {
    const { server, lifetime } = this.#link;
    const mode = server.outage?.mode;
    if (mode === 'refuses' || lifetime.cut) this.#break('ECONNREFUSED');
    else if (mode === 'hangs') server.whenBack(() => this.#arrive(request, outcome));
    else if (mode === 'fails') this.#refuse({ code: 500, reason: 'InternalError' });
    else if (outcome === 'lost') this.#vanish(request, outcome);
    else if (outcome === 'conflict') this.#refuse({ code: 409, reason: 'Conflict' });
    else if (outcome === 'refused') this.#refuseAtRandom(request);
    else this.#answer(request, outcome);
  }

  #answer(request: Request, outcome: RequestOutcome): void {
    // A connection that the client has closed may be noticed before its request is read.
    if (this.#over && this.#link.chance.happens(0.5)) return;
    const answer = this.#link.server.handle(this.#link.who, request);
    this.#link.done(request);
    if (outcome === 'unanswered') this.#vanish(request, outcome);
    else this.#after(() => this.#caller.resolve(this.#responseOf(request, answer)));
  }

  #responseOf({ path }: Request, answer: Answer): Response {
    if ('watch' in answer) return watchResponse({ ...this.#link, path }, answer.watch, this.#caller.signal);
    const isCut = this.#link.server.outage?.mode === 'cuts' && path.includes('limit=');
    return isCut ? tornResponse(this.#link, answer) : jsonResponse(answer);
  }

  /** No answer comes: the connection breaks, or nothing is heard of it until the client loses patience. */
  #vanish({ method, path }: Request, outcome: RequestOutcome): void {
    const { trace, who, chance } = this.#link;
    trace.note(who, `${outcome}: ${method} ${path}`);
    if (chance.happens(0.5)) this.#break('ECONNRESET');
  }

  #refuseAtRandom(request: Request): void {
    const { chance, server } = this.#link;
    const error = chance.oneOf(serverErrors);
    if (error.after && !request.path.includes('watch=true')) {
      server.handle(this.#link.who, request);
      this.#link.done(request);
    }
    this.#refuse(error);
  }

  #refuse({ code, reason }: { code: number; reason: string }): void {
    const { trace, who } = this.#link;
    trace.note(who, `is refused: ${code} ${reason}`);
    const body = new Refusal(code, reason, 'because the simulation says so').status;
    this.#after(() => this.#caller.resolve(jsonResponse({ code, body })));
  }

  #break(code: string): void {
    this.#after(() => this.#caller.reject(Object.assign(new Error(`the connection failed: ${code}`), { code })));
  }

  #after(run: () => void): void {
    const { clock, chance } = this.#link;
    clock.after(chance.between(LATENCY.from, LATENCY.to), () => this.#end(run));
  }

  #end(run: () => void): void {
    if (this.#over) return;
    this.#over = true;
    this.#link.lifetime.deliver(run);
  }
}
