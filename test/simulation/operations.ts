import type { Node } from '../../controller/runtime/k8s/core.ts';
import { ANNOTATION_PAUSED, ANNOTATION_PRESERVE } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { Chance } from './chance.ts';
import type { Cloud } from './cloud.ts';
import { LARGE, POOL } from './herd.ts';
import { cutOff, freeze, outage, restartInOutage, setClock, silenceZone, takeOver, thaw } from './mishaps.ts';
import { freezePool, makeExtra } from './overshoots.ts';
import type { Stage } from './stage.ts';
import { plant } from './strangers.ts';
import { FOREIGN, someTags } from './tags.ts';
import { chaseThieves, stealVm } from './thieves.ts';
import type { User } from './user.ts';

/** Every operation of people, and every fault that is injected, with how often it is chosen. Each ends by itself or in `mend`. */
export const operations = {
  scale: {
    weight: 6,
    run: ({ user, chance, most }) =>
      user.change('machinedeployments', POOL, { spec: { replicas: chance.whole(0, most) } }),
  },
  roll: { weight: 4, run: ({ user, chance }) => roll(user, `r${chance.whole(1, 3)}`) },
  updateInPlace: { weight: 3, run: ({ user, chance }) => user.change('machinedeployments', POOL, inPlaceOf(chance)) },
  updateByReplacement: {
    weight: 1,
    run: ({ user }) => user.change('machinedeployments', POOL, { spec: { strategy: REPLACEMENT } }),
  },
  preserveMachine: {
    weight: 2,
    run: (stage) =>
      withMachine(stage, (machine) =>
        stage.user.annotate('machines', machine, { [ANNOTATION_PRESERVE]: stage.chance.oneOf(WISHES) }),
      ),
  },
  preserveFailed: {
    weight: 1,
    run: ({ user, chance }) =>
      user.change('machinedeployments', POOL, { spec: { autoPreserveFailedMachineMax: chance.whole(0, 2) } }),
  },
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
  retainMachine: {
    weight: 2,
    run: (stage) =>
      withMachine(stage, ({ metadata }) =>
        stage.user.change('machines', metadata.name, { spec: { deletionPolicy: 'Retain' } }),
      ),
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
  makeExtra: { weight: 3, run: makeExtra },
  freezePool: { weight: 1, run: (stage) => freezePool(stage, true) },
  thawPool: { weight: 2, run: (stage) => freezePool(stage, false) },
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
  silenceZone: { weight: 2, run: (stage) => silenceZone(stage) },
  deleteNode: {
    weight: 2,
    run: ({ target, chance }) => {
      const nodes = target.api.store.list('/nodes');
      if (nodes.length > 0)
        target.handle('user', { method: 'DELETE', path: `/api/v1/nodes/${chance.oneOf(nodes).metadata.name}` });
    },
  },
  uncordonNode: {
    weight: 3,
    run: ({ target, chance }) => {
      const cordoned = (target.api.store.list('/nodes') as Node[]).filter(({ spec }) => spec?.unschedulable);
      if (cordoned.length === 0) return;
      const path = `/api/v1/nodes/${chance.oneOf(cordoned).metadata.name}`;
      const body = JSON.stringify({ spec: { unschedulable: null } });
      target.handle('user', { method: 'PATCH', path, contentType: 'application/merge-patch+json', body });
    },
  },
  kill: {
    weight: 4,
    run: ({ processes, chance }) => processes.alive.length > 0 && processes.kill(chance.oneOf(processes.alive)),
  },
  killAtRequest: { weight: 8, run: ({ processes, chance }) => processes.killWithin(chance.whole(1, 40)) },
  restart: { weight: 2, run: ({ processes }) => processes.alive[0]?.stop() },
  freeze: { weight: 3, run: (stage) => freeze(stage, stage.chance.between(1_000, 60_000)) },
  takeOver: { weight: 3, run: (stage) => takeOver(stage) },
  cutOff: { weight: 2, run: (stage) => cutOff(stage) },
  controlOutage: { weight: 3, run: (stage) => outage(stage, [stage.control]) },
  targetOutage: { weight: 4, run: (stage) => outage(stage, [stage.target]) },
  outage: { weight: 2, run: (stage) => outage(stage, [stage.control, stage.target]) },
  restartInOutage: { weight: 2, run: (stage) => restartInOutage(stage) },
  setClock: { weight: 3, run: (stage) => setClock(stage) },
  stealVm: { weight: 3, run: stealVm },
  plantVm: { weight: 4, run: (stage) => plant(stage) },
  forgetHistory: { weight: 2, run: ({ control, target }) => [control, target].map(({ api }) => api.store.forget()) },
} as const satisfies Record<string, { weight: number; run: (stage: Stage) => unknown }>;

/** The name of an operation. */
export type Operation = keyof typeof operations;

/** What is to be done when. */
export interface Planned {
  atMs: number;
  operation: Operation;
}

/** When a zone of a large herd falls silent: most of its machines run by then. Milliseconds. */
const SILENCE_AT = { from: 100_000, to: 250_000 };

/** What happens in a run, earliest first. */
export function planOf(
  chance: Chance,
  { count, withinMs, most }: { count: number; withinMs: number; most: number },
): Planned[] {
  const weights = Object.fromEntries(Object.entries(operations).map(([name, { weight }]) => [name, weight]));
  const planned = Array.from({ length: count }, () => ({
    atMs: Math.round(chance.between(0, withinMs)),
    operation: chance.weighted(weights as Record<Operation, number>),
  }));
  const atMs = Math.round(chance.between(SILENCE_AT.from, SILENCE_AT.to));
  if (most === LARGE.most) planned.push({ atMs, operation: 'silenceZone' });
  return planned.sort((a, b) => a.atMs - b.atMs);
}

/** Makes good what operations left behind and nothing heals by itself. */
export function mend(stage: Stage): void {
  stage.control.endOutage();
  stage.target.endOutage();
  stage.podLag.end();
  stage.processes.spare();
  for (const process of stage.processes.alive) {
    process.lifetime.cutSince = undefined;
    thaw(stage, process);
  }
  // An update in place needs Nodes.
  const strategy = stage.joins ? {} : { strategy: REPLACEMENT };
  stage.user.change('machinedeployments', POOL, { spec: { paused: null, ...strategy } });
  resumeMachines(stage);
  chaseThieves(stage.user);
  freezePool(stage, false);
}

const WISHES = ['now', 'when-failed', 'false'];
const REPLACEMENT = {
  type: 'RollingUpdate',
  inPlaceUpdate: null,
  rollingUpdate: { maxSurge: 1, maxUnavailable: 0 },
};

/** A strategy by which machines keep their VMs. */
function inPlaceOf(chance: Chance): object {
  const maxSurge = chance.whole(0, 1);
  const inPlaceUpdate = { maxSurge, maxUnavailable: chance.whole(1 - maxSurge, 2), orchestrationType: 'Auto' };
  return { spec: { strategy: { type: 'InPlaceUpdate', rollingUpdate: null, inPlaceUpdate } } };
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
