import { ANNOTATION_PAUSED } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { WorldClock } from '../world/clock.ts';
import type { Chance } from './chance.ts';
import type { Cloud } from './cloud.ts';
import type { Server } from './server.ts';
import type { Staff } from './staff.ts';
import { FOREIGN, someTags } from './tags.ts';
import type { Trace } from './trace.ts';
import type { User } from './user.ts';

/** What operations act on. */
export interface Stage {
  user: User;
  cloud: Cloud;
  staff: Staff;
  control: Server;
  target: Server;
  clock: WorldClock;
  chance: Chance;
  trace: Trace;
  elected: boolean;
  /** From now on two processes may have led at once. */
  overlap(): void;
}

/** Name of the only deployment. */
export const POOL = 'pool';

/** Everything that people and fate do, with how often it is chosen. Each ends by itself or in `mend`. */
export const operations = {
  scale: {
    weight: 6,
    run: ({ user, chance }) => user.change('machinedeployments', POOL, { spec: { replicas: chance.whole(0, 4) } }),
  },
  roll: { weight: 4, run: ({ user, chance }) => roll(user, `r${chance.whole(1, 3)}`) },
  editClass: {
    weight: 4,
    run: ({ user, chance }) =>
      user.change('machineclasses', 'small', {
        providerSpec: { size: chance.whole(1, 9), tags: someTags(chance) },
      }),
  },
  editSecret: {
    weight: 1,
    run: ({ user, chance }) =>
      user.send('PATCH', '/api/v1/namespaces/herd/secrets/cloud', { data: { key: btoa(`${chance.whole(0, 99)}`) } }),
  },
  deleteMachine: {
    weight: 4,
    run: (stage) => withMachine(stage, ({ metadata }) => stage.user.delete('machines', metadata.name)),
  },
  pauseMachine: {
    weight: 4,
    run: (stage) =>
      withMachine(stage, (machine) => stage.user.annotate('machines', machine, { [ANNOTATION_PAUSED]: '' })),
  },
  resumeMachines: { weight: 2, run: (stage) => resumeMachines(stage) },
  pausePool: { weight: 1, run: ({ user }) => user.change('machinedeployments', POOL, { spec: { paused: true } }) },
  resumePool: { weight: 1, run: ({ user }) => user.change('machinedeployments', POOL, { spec: { paused: null } }) },
  touchMachine: {
    weight: 2,
    run: (stage) =>
      withMachine(stage, (machine) =>
        stage.user.annotate('machines', machine, { note: `${stage.chance.whole(0, 99)}` }),
      ),
  },
  disownMachine: {
    weight: 1,
    run: (stage) =>
      withMachine(stage, ({ metadata }) =>
        stage.user.change('machines', metadata.name, { metadata: { ownerReferences: null } }),
      ),
  },
  relabelMachine: {
    weight: 1,
    run: (stage) =>
      withMachine(stage, ({ metadata }) =>
        stage.user.change('machines', metadata.name, { metadata: { labels: { pool: null } } }),
      ),
  },
  deleteSet: {
    weight: 1,
    run: ({ user, chance }) => {
      const sets = user.all('machinesets');
      if (sets.length > 0) user.delete('machinesets', chance.oneOf(sets).metadata.name);
    },
  },
  tagVm: {
    weight: 2,
    run: (stage) =>
      withVm(stage, (vm) => {
        vm.tags[FOREIGN] = 'x';
        vm.foreign = true;
      }),
  },
  loseVm: { weight: 3, run: (stage) => withVm(stage, (vm) => stage.cloud.lose(vm)) },
  breakVm: { weight: 3, run: (stage) => withVm(stage, (vm) => stage.cloud.setBroken(vm, true)) },
  flickerVm: {
    weight: 2,
    run: (stage) =>
      withVm(stage, (vm) => {
        stage.cloud.setBroken(vm, true);
        stage.clock.after(stage.chance.between(41_000, 120_000), () => stage.cloud.setBroken(vm, false));
      }),
  },
  deleteNode: {
    weight: 2,
    run: ({ target, chance }) => {
      const nodes = target.api.store.list('/nodes');
      if (nodes.length > 0)
        target.handle('user', { method: 'DELETE', path: `/api/v1/nodes/${chance.oneOf(nodes).metadata.name}` });
    },
  },
  kill: { weight: 4, run: ({ staff, chance }) => staff.alive.length > 0 && staff.kill(chance.oneOf(staff.alive)) },
  killAtRequest: { weight: 8, run: ({ staff, chance }) => staff.killWithin(chance.whole(1, 40)) },
  restart: { weight: 2, run: ({ staff }) => staff.alive[0]?.stop() },
  freeze: { weight: 3, run: (stage) => freeze(stage) },
  controlOutage: { weight: 2, run: (stage) => outage(stage, stage.control) },
  targetOutage: { weight: 2, run: (stage) => outage(stage, stage.target) },
  forgetHistory: { weight: 2, run: ({ control, target }) => [control, target].map(({ api }) => api.store.forget()) },
} as const satisfies Record<string, { weight: number; run: (stage: Stage) => unknown }>;

/** The name of an operation. */
export type Operation = keyof typeof operations;

/** What is to be done when. */
export interface Planned {
  atMs: number;
  operation: Operation;
}

/** What happens in a run, earliest first. */
export function planOf(chance: Chance, { count, withinMs }: { count: number; withinMs: number }): Planned[] {
  const weights = Object.fromEntries(Object.entries(operations).map(([name, { weight }]) => [name, weight]));
  const planned = Array.from({ length: count }, () => ({
    atMs: Math.round(chance.between(0, withinMs)),
    operation: chance.weighted(weights as Record<Operation, number>),
  }));
  return planned.sort((a, b) => a.atMs - b.atMs);
}

/** Makes good what operations left behind and nothing heals by itself. */
export function mend(stage: Stage): void {
  stage.control.down = false;
  stage.target.down = false;
  stage.staff.spare();
  for (const { lifetime } of stage.staff.alive) lifetime.thaw();
  stage.user.change('machinedeployments', POOL, { spec: { paused: null } });
  resumeMachines(stage);
}

/** Makes the deployment's template another one. */
function roll(user: User, release: string): void {
  user.change('machinedeployments', POOL, { spec: { template: { metadata: { labels: { release } } } } });
}

function resumeMachines({ user }: Stage): void {
  for (const machine of user.all('machines')) {
    if (machine.metadata.annotations?.[ANNOTATION_PAUSED] !== undefined)
      user.annotate('machines', machine, { [ANNOTATION_PAUSED]: null });
  }
}

function withMachine({ user, chance }: Stage, run: (machine: Machine) => void): void {
  const machines = user.all('machines');
  if (machines.length > 0) run(chance.oneOf(machines));
}

function withVm({ cloud, chance }: Stage, run: (vm: Parameters<Cloud['lose']>[0]) => void): void {
  const vms = [...cloud.vms.values()];
  if (vms.length > 0) run(chance.oneOf(vms));
}

/** Without a lease nobody takes over meanwhile; with one, the frozen process may act once more when it thaws. */
function freeze({ staff, chance, clock, trace, elected, overlap }: Stage): void {
  const [process] = staff.alive;
  if (!process) return;
  const ms = chance.between(1_000, 90_000);
  trace.note(process.who, 'freezes', { ms: Math.round(ms) });
  if (elected && ms > 5_000) overlap();
  process.lifetime.freeze();
  clock.after(ms, () => {
    if (process.lifetime.frozen) trace.note(process.who, 'thaws');
    process.lifetime.thaw();
  });
}

function outage({ chance, clock, trace }: Stage, server: Server): void {
  const ms = chance.between(1_000, 90_000);
  trace.note('fate', 'an API server is away', { ms: Math.round(ms) });
  server.down = true;
  clock.after(ms, () => {
    server.down = false;
  });
}
