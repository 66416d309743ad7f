import { type Answer, ApiServer, type Request } from '../world/apiserver.ts';
import type { WorldClock } from '../world/clock.ts';
import type { Chance } from './chance.ts';
import type { Outage } from './outage.ts';
import { clockOff } from './skew.ts';
import { silent, type Trace } from './trace.ts';

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

/** An API server of a run: knows who writes, and tells it; may have outages. */
export class Server {
  readonly name: string;
  readonly api: ApiServer;
  /** How far its own clock is ahead, milliseconds. */
  readonly skewMs: number;
  /** Who makes the request that is being answered. */
  actor = 'nobody';
  /** Absent while it answers. */
  outage: Outage | undefined;
  /** Its outages so far, earliest first. */
  readonly past: Outage[] = [];
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

  /** Begins an outage of this length; one that has begun already goes on for as long as either says. */
  beginOutage(how: Pick<Outage, 'mode' | 'forAll'>, ms: number): void {
    const { clock, trace, name } = this.#parts;
    const now = clock.now();
    const until = Math.max(this.outage?.until ?? 0, now + ms);
    trace.note('injector', `the ${name} API server is unreachable`, { ...how, ms: Math.round(until - now) });
    if (this.outage) this.endOutage();
    this.outage = { ...how, since: now, until };
    clock.after(until - now, () => this.outage?.until === until && this.endOutage());
    for (const tell of this.#turned) tell();
  }

  /** Ends the outage, and does what has waited for that. */
  endOutage(): void {
    if (!this.outage) return;
    this.#parts.trace.note('injector', `the ${this.name} API server is back`);
    this.past.push({ ...this.outage, until: this.#parts.clock.now() });
    this.outage = undefined;
    for (const tell of this.#turned) tell();
    for (const run of this.#waiting.splice(0)) run();
  }

  /** Calls `listener` when an outage begins and when it ends; the answer ends that. */
  onTurn(listener: () => void): () => void {
    this.#turned.add(listener);
    return () => this.#turned.delete(listener);
  }

  /** Runs something once it is back: at once, when it is there. */
  whenBack(run: () => void): void {
    if (this.outage) this.#waiting.push(run);
    else run();
  }

  /** As `whenBack`, for those who belong to the cluster: they reach it sooner where only our controllers do not. */
  whenReached(run: () => void): void {
    if (this.outage?.forAll) this.#waiting.push(run);
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
