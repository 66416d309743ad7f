import type { Machine } from '../../schemas/machine.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { BORN, machineClass } from '../../test/fixtures/objects.ts';
import { Drains } from '../drain/tracker.ts';
import type { Driver } from '../drivers/sdk/driver.ts';
import { vmEndsOf } from '../drivers/sdk/vmstatus.ts';
import { busyByOwner } from '../model/machine.ts';
import { byOwner } from '../model/ownership.ts';
import { oneTarget } from '../model/target.fixture.ts';
import { nodeKeysOf } from '../model/target.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import type { Node, Secret } from '../runtime/k8s/core.ts';
import { FakeLog } from '../runtime/observability/log.fake.ts';
import { seededRandom } from '../runtime/random.ts';
import { Cache } from '../runtime/watch/cache.ts';
import type { Census } from '../safety/meltdown/census.ts';
import type { Gates } from '../safety/outage/gate.ts';
import { openGates } from '../safety/outage/gates.fixture.ts';
import { callsFor } from './calls/inflight.fixture.ts';
import { rulesCache } from './drainrules.fixture.ts';
import { Permits } from './flow/replacementbudget.ts';
import { drainSettings, noTokens } from './flow/view.fixture.ts';
import { RefusedWrites } from './flow/writefailures.ts';
import { type MachineSources, observe } from './observe.ts';

const driver: Omit<Driver, 'isSameVm' | 'isVmId'> = {
  name: 'virtual',
  providerSpec: {},
  createMachine: () => Promise.reject(),
  deleteMachine: () => Promise.reject(),
};

const LIMITS = {
  preserveTimeoutMs: 3_000,
  inPlaceTimeoutMs: 4_000,
  creationTimeoutMs: 1_000,
  healthTimeoutMs: 2_000,
  vmYouthMs: 0,
  nodeConditions: ['KernelDeadlock'],
  drain: drainSettings,
  startupTaint: undefined,
};

/** What there is beside a Machine; the moment is in milliseconds since the epoch. */
export interface Surroundings {
  others?: readonly Machine[];
  sets?: readonly MachineSet[];
  classes?: ReadonlyArray<ReturnType<typeof machineClass>>;
  secrets?: readonly Secret[];
  nodes?: readonly Node[];
  permits?: Permits;
  gates?: Gates;
  census?: Pick<Census, 'holdFor' | 'givenUp'>;
  now?: number;
  /** What the driver says of two ids. */
  isSameVm?: Driver['isSameVm'];
}

function cached<T extends { metadata: { name: string } }>(objects: readonly T[], indexes = {}): Cache<T> {
  const cache = new Cache<T>({ indexes });
  for (const object of objects) cache.put(object);
  return cache;
}

/** Machines with the indexes that are asked. */
const machineCache = (machines: readonly Machine[]): Cache<Machine> =>
  cached(machines, { busy: busyByOwner, node: nodeKeysOf, owner: byOwner, vm: vmEndsOf });

/** Where all this is read. */
export function sourcesOf(one: Machine, beside: Surroundings = {}): MachineSources {
  const { others = [], sets = [], classes = [machineClass()], secrets = [], nodes = [] } = beside;
  const clock = new FakeClock(beside.now ?? BORN);
  const { isSameVm } = beside;
  const drivers = new Map<string, Driver>([['virtual', isSameVm ? { ...driver, isSameVm } : driver]]);
  const { calls, updatesOf } = callsFor({ clock });
  return {
    machines: machineCache([one, ...others]),
    classes: cached(classes),
    secrets: cached(secrets),
    targets: oneTarget({
      api: {} as never,
      reach: {} as never,
      nodes: cached(nodes),
      tokens: new Cache(),
      pods: new Cache({ indexes: { node: () => [] } }),
      heartbeats: undefined,
      attachments: new Cache(),
      budgets: new Cache(),
    }),
    gates: beside.gates ?? openGates,
    drainRules: rulesCache(),
    clusters: new Map(),
    tokens: noTokens,
    drivers,
    calls,
    updates: updatesOf(drivers),
    drains: new Drains({ clock, random: seededRandom(1), log: new FakeLog(), enqueue: () => {} }),
    refusals: new RefusedWrites(),
    sets: cached(sets, { owner: byOwner }),
    disablesScaleDown: true,
    permits: beside.permits ?? new Permits(),
    census: beside.census ?? { holdFor: () => undefined, givenUp: () => {} },
    incarnation: 'here',
    clock,
    limits: LIMITS,
  };
}

/** What is seen of the Machine `herd/m` beside all this. */
export const seen = (one: Machine, beside: Surroundings = {}) => observe(sourcesOf(one, beside), 'herd/m');
