import { seededRandom } from '../../controller/runtime/random.ts';
import { WorldClock } from '../world/clock.ts';
import { runAgents } from './agents.ts';
import { Chance } from './chance.ts';
import { type Breach, Cloud } from './cloud.ts';
import type { CloudHabits } from './cloudapi.ts';
import { type Finding, Findings } from './finding.ts';
import { Guard } from './guard.ts';
import { runKubelets } from './kubelets.ts';
import { runLifecycle } from './lifecycle.ts';
import { mend, operations, type Planned, POOL, planOf, type Stage } from './operations.ts';
import { Server } from './server.ts';
import { unsettled } from './settling.ts';
import { skewsOf } from './skew.ts';
import { Staff } from './staff.ts';
import { guardStrangers } from './strangerguard.ts';
import { USER_DATA } from './tokens.ts';
import { Recording, silent, type Trace } from './trace.ts';
import { User } from './user.ts';
import { calm, type Weather, weatherOf } from './weather.ts';
import { runWorkload } from './workload.ts';

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
  /** VMs that were left to an orphan sweep. */
  strays: number;
  log: readonly string[];
}

/** Virtual times, in milliseconds: how long faults last, how long all may take to settle, and stay so. */
const TIMES = { faults: 300_000, settling: 5_400_000, quiet: 60_000, look: 5_000 };

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
  readonly #guard: Guard;
  readonly #stage: Stage;
  #weather: Weather;
  #overlapped = false;
  #wroteAt = 0;

  constructor(options: RunOptions) {
    this.#options = options;
    const recording = new Recording(this.#clock);
    this.#trace = options.record ? recording : silent;
    this.#log = recording.lines;
    const chance = this.#chance(1);
    this.#weather = weatherOf(chance);
    this.#plan = planOf(chance, { count: chance.whole(2, 12), withinMs: TIMES.faults });
    const skews = skewsOf(this.#chance(7));
    const control = this.#server('control', 2, skews.control);
    const target = this.#server('target', 3, skews.target);
    const cloud = new Cloud({ clock: this.#clock, breach: options.breach, skewMs: skews.cloud });
    const elected = chance.happens(0.4);
    const user = new User(control);
    const parts = {
      user,
      clock: this.#clock,
      trace: this.#trace,
      findings: this.#findings,
      control,
      target,
      cloud,
      elected,
    };
    const habits = { ...habitsOf(chance), ...(options.breach === 'forgetful' && SLOW_TO_SHOW) };
    this.#guard = new Guard({ ...parts, lagging: habits.lagMs > 0, overlapped: () => this.#overlapped });
    guardStrangers(parts);
    runAgents({ target, clock: this.#clock, chance: this.#chance(6) });
    const nodes = { cloud, target, clock: this.#clock, skewMs: skews.kubelets };
    runKubelets({ ...nodes, chance: this.#chance(4) });
    runLifecycle({ ...nodes, chance: this.#chance(8) });
    runWorkload({ target, clock: this.#clock, chance: this.#chance(6) });
    const weather = () => this.#weather;
    const staff = new Staff({
      ...parts,
      chance: this.#chance(5),
      habits,
      breach: options.breach,
      guard: this.#guard,
      skews,
      weather,
    });
    const overlap = () => {
      this.#overlapped = true;
    };
    this.#stage = { ...parts, staff, chance, overlap };
    control.api.store.onWrite(({ resource }) => {
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
      requests: this.#stage.staff.requests,
      plan: this.#plan,
      overlapped: this.#overlapped,
      strays: this.#guard.strays.size,
      log: this.#log,
    };
  }

  /** The herd, and the processes that look after it. */
  #begin(): void {
    const { user, chance, elected, staff } = this.#stage;
    user.send('POST', '/api/v1/namespaces', { metadata: { name: 'herd' } });
    user.send('POST', '/api/v1/namespaces/herd/secrets', cloudSecret);
    user.make('machineclasses', classOf());
    user.make('machinedeployments', poolOf(chance));
    staff.start();
    if (elected && chance.happens(0.7)) staff.start();
  }

  #schedule(): void {
    for (const [index, { atMs, operation }] of this.#plan.entries()) {
      if (this.#options.without?.has(index)) continue;
      this.#clock.after(atMs, () => {
        this.#trace.note('fate', `operation ${index}: ${operation}`);
        operations[operation].run(this.#stage);
      });
    }
  }

  /** The faults stop: now everything must become as it should be, and stay so. */
  #settle(): void {
    this.#trace.note('fate', 'the faults stop');
    this.#weather = calm;
    mend(this.#stage);
    const parts = { ...this.#stage, guard: this.#guard };
    const end = this.#clock.now() + TIMES.settling;
    while (!this.#findings.first) {
      this.#runUntil(this.#clock.now() + TIMES.look);
      const why = unsettled(parts);
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

  #chance(stream: number): Chance {
    return new Chance(seededRandom(this.#options.seed * 16 + stream));
  }

  #server(name: string, stream: number, skewMs: number): Server {
    return new Server({ name, clock: this.#clock, chance: this.#chance(stream), trace: this.#trace, skewMs });
  }
}

/** A token that makes two VMs shows only where the first is not seen: rarely, unless the cloud lags far behind. */
const SLOW_TO_SHOW = { lagMs: 120_000 };

const habitsOf = (chance: Chance): CloudHabits => ({
  initializes: chance.happens(0.25),
  listsOnly: chance.happens(0.15),
  lagMs: chance.oneOf([0, 2_000, 8_000]),
});

/** What the class names: user data that asks for a token. */
const cloudSecret = { metadata: { name: 'cloud' }, data: { key: btoa('0'), userData: btoa(USER_DATA) } };

const classOf = () => ({
  apiVersion: 'machine.sapcloud.io/v1alpha1',
  kind: 'MachineClass',
  metadata: { name: 'small' },
  provider: 'sim',
  providerSpec: { size: 1 },
  secretRef: { name: 'cloud', namespace: 'herd' },
});

function strategyOf(chance: Chance): object {
  const maxSurge = chance.whole(0, 2);
  const limits = { maxSurge, maxUnavailable: chance.whole(maxSurge === 0 ? 1 : 0, 1) };
  const type = chance.weighted({ RollingUpdate: 6, InPlaceUpdate: 3, Recreate: 2 });
  if (type === 'InPlaceUpdate') return { type, inPlaceUpdate: { ...limits, orchestrationType: 'Auto' } };
  return type === 'Recreate' ? { type } : { type, rollingUpdate: limits };
}

function poolOf(chance: Chance): object {
  const labels = { pool: POOL, release: 'r0' };
  return {
    apiVersion: 'machine.sapcloud.io/v1alpha1',
    kind: 'MachineDeployment',
    metadata: { name: POOL },
    spec: {
      replicas: chance.whole(1, 3),
      selector: { matchLabels: { pool: POOL } },
      strategy: strategyOf(chance),
      template: { metadata: { labels }, spec: { class: { kind: 'MachineClass', name: 'small' } } },
    },
  };
}
