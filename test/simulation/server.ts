import { type Answer, ApiServer, type Request } from '../world/apiserver.ts';
import type { WorldClock } from '../world/clock.ts';
import type { Chance } from './chance.ts';
import { clockOff } from './skew.ts';
import { silent, type Trace } from './trace.ts';
import type { Away } from './trouble.ts';

/** What an API server of a run is made of. */
export interface ServerParts {
  /** `control` or `target`. */
  name: string;
  clock: WorldClock;
  chance: Chance;
  trace: Trace;
  /** How far its own clock is ahead, milliseconds. */
  skewMs: number;
}

/** An API server of a run: knows who writes, and tells it; may be away for a while. */
export class Server {
  readonly name: string;
  readonly api: ApiServer;
  /** How far its own clock is ahead, milliseconds. */
  readonly skewMs: number;
  /** Who makes the request that is being answered. */
  actor = 'nobody';
  /** Absent while it is there. */
  away: Away | undefined;
  /** When it was away before, earliest first. */
  readonly past: Away[] = [];
  readonly #parts: ServerParts;
  readonly #turned = new Set<() => void>();
  #waiting: Array<() => void> = [];

  constructor(parts: ServerParts) {
    this.#parts = parts;
    this.name = parts.name;
    this.skewMs = parts.skewMs;
    this.api = new ApiServer({ clock: clockOff(parts.clock, () => parts.skewMs), random: parts.chance.random });
  }

  /** Answers a request of somebody. */
  handle(who: string, request: Request): Answer {
    this.actor = who;
    const answer = this.api.handle(request);
    this.actor = 'nobody';
    if (this.#parts.trace !== silent && request.method !== 'GET') this.#note(who, request, answer);
    return answer;
  }

  /** It is away for so long; one that is away already stays so for as long as either says. */
  leave(how: Pick<Away, 'trouble' | 'forAll'>, ms: number): void {
    const { clock, trace, name } = this.#parts;
    const now = clock.now();
    const until = Math.max(this.away?.until ?? 0, now + ms);
    trace.note('injector', `the ${name} API server is unreachable`, { ...how, ms: Math.round(until - now) });
    if (this.away) this.return();
    this.away = { ...how, since: now, until };
    clock.after(until - now, () => this.away?.until === until && this.return());
    for (const tell of this.#turned) tell();
  }

  /** It is there again, and does what has waited for it. */
  return(): void {
    if (!this.away) return;
    this.#parts.trace.note('injector', `the ${this.name} API server is back`);
    this.past.push({ ...this.away, until: this.#parts.clock.now() });
    this.away = undefined;
    for (const tell of this.#turned) tell();
    for (const run of this.#waiting.splice(0)) run();
  }

  /** Calls `listener` when it leaves and when it is back; the answer ends that. */
  onTurn(listener: () => void): () => void {
    this.#turned.add(listener);
    return () => this.#turned.delete(listener);
  }

  /** Runs something once it is back: at once, when it is there. */
  whenBack(run: () => void): void {
    if (this.away) this.#waiting.push(run);
    else run();
  }

  /** As `whenBack`, for those who belong to the cluster: they reach it sooner where only our controllers do not. */
  whenReached(run: () => void): void {
    if (this.away?.forAll) this.#waiting.push(run);
    else run();
  }

  /** For how long an object is there, milliseconds; undefined for a time that nobody can read. */
  ageOf(creationTimestamp: string | undefined): number {
    return this.#parts.clock.now() + this.skewMs - Date.parse(creationTimestamp ?? '');
  }

  #note(who: string, { method, path, body }: Request, answer: Answer): void {
    if ('watch' in answer || /\/(?:leases|events)\b/.test(path)) return;
    const { code } = answer;
    const says = code < 300 ? {} : { says: (answer.body as { message?: string }).message };
    this.#parts.trace.note(who, `${method} ${path}`, { code, ...says, ...(body && { body }) });
  }
}
