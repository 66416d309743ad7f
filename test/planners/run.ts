import { numbersOf } from '../../controller/machinedeployment/flow/view.ts';
import { controllerOf } from '../../controller/runtime/k8s/object.ts';
import { seededRandom } from '../../controller/runtime/random.ts';
import { machineDeployment } from '../fixtures/objects.ts';
import { Chance } from '../simulation/chance.ts';
import { deploymentPass } from './deploymentpass.ts';
import { Herd } from './herd.ts';
import { type Habits, meddle, relent, strategyOf } from './people.ts';
import { setPasses } from './setpass.ts';
import { passTime, type WorldHabits } from './world.ts';

/** For how many steps people meddle, how many it may take to settle, and how many actions in a row are in circles. */
const STEPS = { meddling: 120, settling: 800, circles: 200 };

/** How many steps back a limit of before may be what a set still acts on. */
const STALE = 4;

/** Runs the planners of both kinds against a herd that people meddle with; answers what broke, undefined for nothing. */
export function run(seed: number, habits: Habits & WorldHabits): string | undefined {
  return new Run(seed, habits).outcome();
}

class Run {
  readonly #habits: Habits & WorldHabits;
  readonly #chance: Chance;
  readonly #herd: Herd;
  /** Most machines that were allowed, step by step. */
  readonly #allowed: number[] = [];
  /** What is available may be less than promised: a person or a fault took it. */
  #disturbed = true;
  #finding: string | undefined;

  constructor(seed: number, habits: Habits & WorldHabits) {
    this.#habits = habits;
    this.#chance = new Chance(seededRandom(seed));
    const { minReadySeconds } = habits;
    const seconds = { minReadySeconds, minReadySecondsPolicy: 'Honor' } as const;
    const spec = {
      ...seconds,
      replicas: this.#chance.whole(1, habits.shrink ? 16 : 6),
      strategy: strategyOf(this.#chance, habits),
    };
    const before = machineDeployment();
    this.#herd = new Herd({ ...before, spec: { ...before.spec, ...spec } });
  }

  outcome(): string | undefined {
    for (let step = 0; step < STEPS.meddling + STEPS.settling; step += 1) {
      const quiet = step >= STEPS.meddling;
      if (step === STEPS.meddling) relent(this.#herd);
      if (!quiet && this.#chance.happens(this.#habits.shrink ? 0.2 : 0.08)) this.#meddle();
      this.#step(quiet);
      if (this.#finding || (quiet && this.#herd.settled())) return this.#finding;
    }
    const { replicas, strategy } = this.#herd.deployment.spec;
    return `it is stuck: ${JSON.stringify({ replicas, strategy, sets: this.#sizes() })}`;
  }

  #step(quiet: boolean): void {
    const { replicas, surge } = numbersOf(this.#herd.deployment);
    this.#allowed.push(replicas + surge);
    if (this.#herd.settled()) this.#disturbed = false;
    for (let turn = 0; turn < 3; turn += 1) {
      if (this.#chance.happens(0.6)) this.#deployment();
      this.#sets();
    }
    const before = this.#herd.available();
    passTime(this.#herd, this.#chance, { ...this.#habits, ill: this.#habits.ill && !quiet });
    if (this.#herd.available() < before) this.#disturbed = true;
  }

  #meddle(): void {
    if (meddle(this.#herd, this.#chance, this.#habits)) this.#disturbed = true;
  }

  /** Some passes over the deployment, as long as there is something to do. */
  #deployment(): void {
    for (let pass = 0; pass < STEPS.circles; pass += 1) {
      if (deploymentPass(this.#herd) === undefined || this.#chance.happens(0.3)) return;
    }
    this.#finding ??= `the deployment acts without an end`;
  }

  /** Some sets, one after the other or at the same moment. */
  #sets(): void {
    const chosen = this.#herd.sets.filter(() => this.#chance.happens(0.6));
    const together = this.#chance.happens(0.5);
    for (const some of together ? [chosen] : chosen.map((set) => [set])) {
      const before = { machines: this.#herd.machines.length, available: this.#herd.available() };
      setPasses(this.#herd, some);
      this.#judge(before);
    }
  }

  #judge(before: { machines: number; available: number }): void {
    const { deployment, machines } = this.#herd;
    const holding = this.#herd.holding();
    const { replicas, unavailable } = numbersOf(deployment);
    const most = Math.max(...this.#allowed.slice(-STALE));
    if (machines.length > before.machines && holding > most)
      this.#finding ??= `${holding} machines of ${most}: ${JSON.stringify(this.#sizes())}`;
    this.#finding ??= machines.length > before.machines ? this.#mixed() : undefined;
    const available = this.#herd.available();
    const rolls = deployment.spec.strategy?.type === 'RollingUpdate' && !this.#disturbed;
    if (rolls && available < before.available && available < replicas - unavailable)
      this.#finding ??= `${available} machines are available, at least ${replicas - unavailable} have to be`;
  }

  /** A Recreate makes machines when all others are gone: two generations never run together (hack/decisions/0051 S3). */
  #mixed(): string | undefined {
    const owners = new Set(this.#herd.machines.map((machine) => controllerOf(machine)?.uid));
    const recreates = this.#habits.strategies.every((strategy) => strategy === 'Recreate');
    return recreates && owners.size > 1 ? `two generations: ${JSON.stringify(this.#sizes())}` : undefined;
  }

  #sizes(): unknown {
    return this.#herd
      .facts()
      .map(({ set, machines }) => [
        set.spec?.replicas,
        machines.map(({ status, metadata }) => (metadata.deletionTimestamp ? 'leaving' : status?.currentStatus?.phase)),
      ]);
  }
}
