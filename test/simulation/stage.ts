import { seededRandom } from '../../controller/runtime/random.ts';
import type { WorldClock } from '../world/clock.ts';
import { Chance } from './chance.ts';
import { type Breach, Cloud } from './cloud.ts';
import type { CloudHabits } from './cloudapi.ts';
import type { FaultRates } from './faultrates.ts';
import type { Findings } from './finding.ts';
import { Guard } from './guard.ts';
import { runAgents, runKubelets } from './kubelets.ts';
import { runLifecycle } from './lifecycle.ts';
import { PodLag } from './podlag.ts';
import { Processes } from './processes.ts';
import { Server } from './server.ts';
import { skewsOf } from './skew.ts';
import { guardStrangers } from './strangerguard.ts';
import type { Trace } from './trace.ts';
import { User } from './user.ts';
import { runWorkload } from './workload.ts';
import { Zones } from './zones.ts';

/** What a run happens on. */
export interface Stage {
  user: User;
  cloud: Cloud;
  processes: Processes;
  guard: Guard;
  control: Server;
  target: Server;
  clock: WorldClock;
  chance: Chance;
  trace: Trace;
  elected: boolean;
  /** There is a target cluster (hack/spec/mcm.md 0.2). */
  joins: boolean;
  /** VMs are marked with their machines. */
  marks: boolean;
  podLag: PodLag;
  /** As many machines as people ever ask for. */
  most: number;
  /** Two processes may have led at once. */
  overlap: { happened: boolean };
}

/** What a stage is made from. */
export interface StageParts extends Pick<Stage, 'clock' | 'chance' | 'trace' | 'most'> {
  seed: number;
  breach: Breach | undefined;
  findings: Findings;
  faultRates(): FaultRates;
}

/** How often there is no target cluster. */
const ALONE = 0.06;

/** A stream of chance of its own, so that more dice in one place change nothing in another. */
export const chanceOf = (seed: number, stream: number): Chance => new Chance(seededRandom(seed * 16 + stream));

/** The servers, the cloud and everybody around them; nobody has begun to work. */
export function stageOf(parts: StageParts): Stage {
  const { seed, breach, chance, clock, trace } = parts;
  const skews = skewsOf(chanceOf(seed, 7));
  const server = (name: 'control' | 'target', stream: number) =>
    new Server({ name, clock, trace, chance: chanceOf(seed, stream), skewMs: skews[name] });
  const control = server('control', 2);
  const target = server('target', 3);
  const cloud = new Cloud({ clock, breach, skewMs: skews.cloud });
  const elected = chance.happens(0.4);
  const joins = !chance.happens(ALONE);
  const habits = { ...habitsOf(chance), ...HABITS_OF[breach ?? ''] };
  const podLag = new PodLag({ clock, trace, chance: chanceOf(seed, 9) });
  const world = { ...parts, podLag, user: new User(control), control, target, cloud, elected, joins, skews };
  const overlap = { happened: false };
  const { marks } = habits;
  const guard = new Guard({ ...world, marks, lagging: habits.lagMs > 0, overlapped: () => overlap.happened });
  const processes = new Processes({ ...world, chance: chanceOf(seed, 5), habits, guard });
  guardStrangers(world);
  new Zones(world);
  if (joins) populate(world, seed, skews.kubelets);
  return { ...world, marks: habits.marks, overlap, guard, processes };
}

/** Whoever lives in the target cluster. */
function populate(world: Pick<Stage, 'cloud' | 'control' | 'target' | 'clock'>, seed: number, skewMs: number): void {
  runAgents({ ...world, chance: chanceOf(seed, 6) });
  runKubelets({ ...world, skewMs, chance: chanceOf(seed, 4) });
  runLifecycle({ ...world, skewMs, chance: chanceOf(seed, 8) });
  runWorkload({ ...world, chance: chanceOf(seed, 6), lateChance: chanceOf(seed, 10) });
}

/**
 * Where a breach shows: a token makes two VMs only where the first is not seen, rarely, unless the cloud lags far behind; a VM is
 * denied too early only where its deletion takes time.
 */
const HABITS_OF: Readonly<Record<string, Partial<CloudHabits>>> = {
  forgetful: { lagMs: 120_000 },
  'denies what it deletes': { deletionMs: 300_000 },
};

const habitsOf = (chance: Chance): CloudHabits => ({
  initializes: chance.happens(0.25),
  listsOnly: chance.happens(0.15),
  marks: chance.happens(0.75),
  lagMs: chance.oneOf([0, 2_000, 8_000]),
  ghostMs: chance.oneOf([0, 0, 90_000]),
  deletionMs: chance.oneOf([0, 30_000, 300_000]),
});
