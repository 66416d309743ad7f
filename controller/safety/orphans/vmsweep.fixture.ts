import { BORN, type machine, machineClass, type machineSet } from '../../../test/fixtures/objects.ts';
import { mergePatched } from '../../../test/world/patching.ts';
import type { Driver, ListedVm, MachineRequest } from '../../drivers/sdk/driver.ts';
import { DriverError } from '../../drivers/sdk/errors.ts';
import { vmEndsOf } from '../../drivers/sdk/vmstatus.ts';
import { FakeClock } from '../../runtime/clock.fake.ts';
import type { Node, Secret } from '../../runtime/k8s/core.ts';
import type { KubeObject } from '../../runtime/k8s/object.ts';
import { FakeLog } from '../../runtime/observability/log.fake.ts';
import { seededRandom } from '../../runtime/random.ts';
import { Cache } from '../../runtime/watch/cache.ts';
import { nodeIndexes } from '../../targets/caches.ts';
import { openGates } from '../outage/gates.fixture.ts';
import { Sweeper, type SweeperParts } from './vmsweep.ts';

type Machine = ReturnType<typeof machine>;
type MachineSet = ReturnType<typeof machineSet>;
type MachineClass = ReturnType<typeof machineClass>;

/** Milliseconds. */
export const MINUTE = 60_000;

/** A VM of this installation without a Machine, an hour old. */
export const LOST: ListedVm = {
  providerID: 'virtual:///lost',
  machineName: 'm',
  created: BORN - 60 * MINUTE,
  incarnation: 'here',
};

/** What is there, and what was done about it. */
class World {
  vms: ListedVm[] = [LOST];
  /** Machines as the API server has them; the cache has none. */
  live: Machine[] = [];
  /** The Node as the target's API server has it. */
  node: Node | undefined;
  list = async (): Promise<ListedVm[]> => this.vms;
  deletion = async (): Promise<object> => ({});
  /** What the driver says of a VM that it was to delete. */
  status = (): Promise<object> => Promise.reject(new DriverError('NotFound', 'there is no such VM'));
  readonly asked: MachineRequest[] = [];
  readonly events: string[] = [];
  readonly counts: string[] = [];
  readonly removedNodes: string[] = [];
  readonly statuses: object[] = [];

  readonly driver = {
    name: 'virtual',
    listMachines: () => this.list(),
    getMachineStatus: () => this.status(),
    deleteMachine: (request: MachineRequest) => {
      this.asked.push(request);
      return this.deletion();
    },
  } as unknown as Driver;

  readonly targetApi = {
    get: async () => this.node,
    patch: async (_: unknown, __: unknown, { body }: { body: object }) => {
      this.node = mergePatched(this.node, body) as Node;
      return this.node;
    },
    delete: async (_: unknown, { name }: { name: string }, { uid }: { uid: string }) =>
      void this.removedNodes.push(`${name} ${uid}`),
  };

  readonly patch = async (_: unknown, { name }: KubeObject['metadata'], { body }: { body: { status: object } }) => {
    this.statuses.push({ name, ...body.status });
    throw new Error('the server is full');
  };

  readonly told = {
    record: (on: KubeObject, { reason, note }: { reason: string; note: string }) =>
      void this.events.push(`${on.metadata.name} ${reason} ${note}`),
  };

  readonly metrics = {
    count: (name: string, labels: Record<string, string> = {}) =>
      void this.counts.push([name, labels['outcome']].join(' ')),
    set: () => {},
    remove: () => {},
  };
}

/** A sweeper over one class whose driver lists {@link LOST}, with nothing known of any Machine. */
export function bench(changes: Partial<SweeperParts> = {}) {
  const clock = new FakeClock(BORN);
  const world = new World();
  const nodes = new Cache<Node>({ indexes: nodeIndexes });
  const parts = {
    ...emptyCaches(),
    api: { list: async () => ({ items: world.live }) },
    targets: () => [{ api: world.targetApi, nodes }],
    clock,
    random: seededRandom(1),
    log: new FakeLog(),
    events: world.told,
    metrics: world.metrics,
    incarnation: 'here',
    signal: new AbortController().signal,
    driver: world.driver,
    periodMs: 15 * MINUTE,
    classWrites: { api: { patch: world.patch } },
    limits: { policy: 'delete', graceMs: 10 * MINUTE, apartMs: MINUTE, most: 10 },
    gates: openGates,
    targetOf: () => ({ at: 'none' }),
    isCreating: () => false,
    wasRetained: () => false,
    retentionListed: () => {},
    isMute: () => false,
    ...changes,
  } as unknown as SweeperParts;
  parts.classes.reset([machineClass()], '1');
  const sweeper = new Sweeper(parts);
  const sweeps = async (times: number, apart = 15 * MINUTE) => {
    for (let done = 0; done < times; done++) {
      await sweeper.sweep('herd/small');
      await clock.advance(apart);
    }
  };
  return { sweeper, sweeps, parts, world, nodes, clock };
}

const emptyCaches = () => ({
  machines: new Cache<Machine>({ indexes: { class: () => [], vm: vmEndsOf } }),
  sets: new Cache<MachineSet>(),
  deployments: new Cache({ indexes: { class: () => [] } }),
  classes: new Cache<MachineClass>(),
  secrets: new Cache<Secret>(),
});
