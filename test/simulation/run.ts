import { WorldClock } from '../world/clock.ts';
import type { Breach } from './cloud.ts';
import { type FaultRates, faultRatesOf, noFaults } from './faultrates.ts';
import { type Finding, Findings } from './finding.ts';
import { classOf, cloudSecretOf, LARGE, poolOf } from './herd.ts';
import { restoreBackup } from './mishaps.ts';
import { mend, operations, type Planned, planOf } from './operations.ts';
import { unsettled } from './settling.ts';
import { chanceOf, type Stage, stageOf } from './stage.ts';
import { Recording, silent, type Trace } from './trace.ts';
import { Attendant } from './user.ts';

/** How to run a seed. */
export interface RunOptions {
  seed: number;
  /** Keeps a log of everything. */
  record?: boolean;
  /** The cloud or its driver breaks the contract: the run must find it. */
  breach?: Breach;
  /** Runs without what these indexes of the plan say. */
  without?: ReadonlySet<number>;
}

/** What came of a seed. */
export interface Outcome {
  seed: number;
  finding: Finding | undefined;
  /** Virtual seconds that passed, and requests that were made. */
  seconds: number;
  requests: number;
  plan: readonly Planned[];
  /** Two processes led at once for a moment. */
  overlapped: boolean;
  log: readonly string[];
}

/** Virtual times, in milliseconds: how long faults last, how long all may take to settle, and stay so. */
const TIMES = { faults: 300_000, settling: 5_400_000, quiet: 60_000, look: 5_000 };

/** In how many runs a backup of the control API server's store is restored, and when that is made, milliseconds. */
const BACKUPS = { rate: 0.15, from: 20_000, to: 140_000 };

/** Runs a seed to its end, or to its first finding. */
export function simulate(options: RunOptions): Outcome {
  return new Run(options).outcome();
}

/** One run: a herd, its cloud, its controller, and what happens to them. */
class Run {
  readonly #options: RunOptions;
  readonly #clock = new WorldClock();
  readonly #findings = new Findings();
  readonly #trace: Trace;
  readonly #log: readonly string[];
  readonly #plan: Planned[];
  readonly #stage: Stage;
  #faultRates: FaultRates;
  #wroteAt = 0;

  constructor(options: RunOptions) {
    this.#options = options;
    const recording = new Recording(this.#clock);
    this.#trace = options.record ? recording : silent;
    this.#log = recording.lines;
    const chance = chanceOf(options.seed, 1);
    this.#faultRates = faultRatesOf(chance);
    const most = chance.happens(LARGE.rate) ? LARGE.most : LARGE.usual;
    this.#plan = planOf(chance, { count: chance.whole(2, 12), withinMs: TIMES.faults, most });
    this.#stage = stageOf({
      seed: options.seed,
      breach: options.breach,
      chance,
      most,
      clock: this.#clock,
      trace: this.#trace,
      findings: this.#findings,
      faultRates: () => this.#faultRates,
    });
    this.#stage.control.api.store.onWrite(({ resource }) => {
      if (resource.startsWith('machine.sapcloud.io/')) this.#wroteAt = this.#clock.now();
    });
  }

  /** Runs, and tells what came of it. */
  outcome(): Outcome {
    const start = this.#clock.now();
    this.#begin();
    this.#schedule();
    this.#runUntil(start + TIMES.faults);
    this.#settle();
    const { seed } = this.#options;
    return {
      seed,
      finding: this.#findings.first,
      seconds: Math.round((this.#clock.now() - start) / 1000),
      requests: this.#stage.processes.requests,
      plan: this.#plan,
      overlapped: this.#stage.overlap.happened,
      log: this.#log,
    };
  }

  /** The herd, and the processes that look after it. */
  #begin(): void {
    const { user, chance, elected, processes, most } = this.#stage;
    user.send('POST', '/api/v1/namespaces', { metadata: { name: 'herd' } });
    user.send('POST', '/api/v1/namespaces/herd/secrets', cloudSecretOf(this.#stage));
    user.make('machineclasses', classOf());
    user.make('machinedeployments', poolOf(chance, most));
    processes.start();
    if (elected && chance.happens(0.7)) processes.start();
  }

  #schedule(): void {
    // By dice of its own, so that seeds without one run as before.
    const chance = chanceOf(this.#options.seed, 11);
    if (chance.happens(BACKUPS.rate))
      this.#clock.after(chance.between(BACKUPS.from, BACKUPS.to), () => restoreBackup({ ...this.#stage, chance }));
    for (const [index, { atMs, operation }] of this.#plan.entries()) {
      if (this.#options.without?.has(index)) continue;
      this.#clock.after(atMs, () => {
        this.#trace.note('injector', `operation ${index}: ${operation}`);
        operations[operation].run(this.#stage);
      });
    }
  }

  /** The faults stop: now everything must become as it should be, and stay so. */
  #settle(): void {
    this.#trace.note('injector', 'the faults stop');
    this.#faultRates = noFaults;
    mend(this.#stage);
    const end = this.#clock.now() + TIMES.settling;
    const attendant = new Attendant(this.#stage);
    while (!this.#findings.first) {
      attendant.look();
      this.#runUntil(this.#clock.now() + TIMES.look);
      const why = unsettled(this.#stage);
      const quietMs = this.#clock.now() - this.#wroteAt;
      if (why === undefined && quietMs >= TIMES.quiet) return;
      if (this.#clock.now() < end) continue;
      const says = why ?? `somebody wrote ${quietMs / 1000} s ago`;
      this.#findings.add('everything settles', `not within ${TIMES.settling / 1000} s: ${says}`);
    }
  }

  #runUntil(until: number): void {
    this.#clock.after(until - this.#clock.now(), () => {});
    while (!this.#findings.first && this.#clock.step(until));
  }
}
