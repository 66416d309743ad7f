import type { Request } from '../world/apiserver.ts';
import type { WorldClock } from '../world/clock.ts';
import type { Chance } from './chance.ts';
import type { Breach, Cloud } from './cloud.ts';
import type { CloudHabits } from './cloudapi.ts';
import { simDriver } from './driver.ts';
import type { FaultRates } from './faultrates.ts';
import type { Findings } from './finding.ts';
import type { Guard } from './guard.ts';
import { Lifetime } from './lifetime.ts';
import { connectionOver, type LinkParts } from './link.ts';
import type { PodLag } from './podlag.ts';
import { Process } from './process.ts';
import type { Server } from './server.ts';
import type { Host, Skews } from './skew.ts';
import type { Trace } from './trace.ts';

/** What processes run in. */
export interface ProcessesParts {
  clock: WorldClock;
  chance: Chance;
  trace: Trace;
  findings: Findings;
  control: Server;
  target: Server;
  cloud: Cloud;
  habits: CloudHabits;
  breach: Breach | undefined;
  guard: Guard;
  elected: boolean;
  joins: boolean;
  skews: Skews;
  podLag: Pick<PodLag, 'left'>;
  faultRates(): FaultRates;
}

/** So many requests of a process within so many milliseconds are a circle. */
const CIRCLE = { requests: 600, ms: 10_000 };

/** The controller's processes: those that end are started again a while later, as a Deployment's pods are. */
export class Processes {
  readonly #parts: ProcessesParts;
  #running: Process[] = [];
  #started = 0;
  /** How many requests from now the process that sends the last of them dies, before or after the server's work. */
  #deadly: { requests: number; moment: 'sent' | 'done' } | undefined;
  /** How many requests were made. */
  requests = 0;
  /** Where processes run, one after the other. */
  readonly hosts: readonly Host[];

  constructor(parts: ProcessesParts) {
    this.#parts = parts;
    this.hosts = parts.skews.processes.map((aheadMs) => ({ aheadMs }));
  }

  /** Processes that are not dead. */
  get alive(): readonly Process[] {
    this.#running = this.#running.filter(({ lifetime }) => !lifetime.dead);
    return this.#running;
  }

  /** Starts one more process. */
  start(): void {
    const { clock, trace, guard, elected, findings, chance, joins } = this.#parts;
    const who = `process-${++this.#started}`;
    const lifetime = new Lifetime(clock, this.hosts[this.#started % this.hosts.length]);
    const parts = { ...this.#parts, who, lifetime };
    const exited = () => this.#startSoon();
    const driver = simDriver({ ...parts, watcher: guard.watcher({ who, lifetime }) });
    const control = connectionOver(this.#link(this.#parts.control, who, lifetime));
    const target = joins ? connectionOver(this.#link(this.#parts.target, who, lifetime)) : undefined;
    const seed = chance.whole(0, 2 ** 31);
    trace.note(who, 'starts');
    this.#running.push(new Process({ who, lifetime, control, target, driver, seed, elected, findings, trace, exited }));
  }

  /** SIGKILL. */
  kill({ lifetime, who }: Process): void {
    if (lifetime.dead) return;
    this.#parts.trace.note(who, 'is killed');
    lifetime.end();
    this.#startSoon();
  }

  /** One of the next requests kills the process that makes it. */
  killWithin(requests: number): void {
    this.#deadly = { requests, moment: this.#parts.chance.oneOf(['sent', 'done'] as const) };
  }

  /** Nobody dies of a request any more. */
  spare(): void {
    this.#deadly = undefined;
  }

  #startSoon(): void {
    const { clock, chance } = this.#parts;
    clock.after(chance.between(3_000, 15_000), () => this.start());
  }

  #link(server: Server, who: string, lifetime: Lifetime): LinkParts {
    const recent = { since: 0, count: 0 };
    return {
      ...this.#parts,
      server,
      who,
      lifetime,
      lag: (path) => (server === this.#parts.target ? this.#parts.podLag.left(path) : 0),
      sent: (request) => {
        this.requests += 1;
        this.#countCircle(recent, who, request);
        this.#parts.guard.sent({ who, lifetime }, request);
        if (this.#deadly && --this.#deadly.requests <= 0 && this.#deadly.moment === 'sent') this.#die(who, request);
      },
      done: (request) => {
        if (this.#deadly && this.#deadly.requests <= 0) this.#die(who, request);
      },
    };
  }

  #die(who: string, { method, path }: Request): void {
    const process = this.#running.find((one) => one.who === who);
    if (!process || process.lifetime.dead) return;
    this.#parts.trace.note(who, `dies at ${method} ${path}`);
    this.#deadly = undefined;
    this.kill(process);
  }

  #countCircle(recent: { since: number; count: number }, who: string, { method, path }: Request): void {
    const { clock, findings } = this.#parts;
    const isOver = clock.monotonic() - recent.since > CIRCLE.ms;
    recent.count = isOver ? 1 : recent.count + 1;
    if (isOver) recent.since = clock.monotonic();
    if (recent.count > CIRCLE.requests)
      findings.add(
        'it does not run in circles',
        `${recent.count} requests of ${who} within ${CIRCLE.ms / 1000} s, the last: ${method} ${path}`,
      );
  }
}
