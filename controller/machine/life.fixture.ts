import { FINALIZER } from '../../schemas/keys.ts';
import { resources } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import { BORN, machine, machineClass, node } from '../../test/fixtures/objects.ts';
import { ApiServer } from '../../test/world/apiserver.ts';
import { connectionTo } from '../../test/world/connection.ts';
import { Drains } from '../drain/tracker.ts';
import type { Driver } from '../drivers/sdk/driver.ts';
import { type Code, DriverError } from '../drivers/sdk/errors.ts';
import { DecisionLog } from '../framework/decisionlog.ts';
import { unlessGone } from '../framework/writer.ts';
import { oneTarget } from '../model/target.fixture.ts';
import { openTargetOf, type Target } from '../model/target.ts';
import { Api } from '../runtime/client/api.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import { Slots } from '../runtime/fairness/slots.ts';
import { type Node, nodes, type Secret } from '../runtime/k8s/core.ts';
import { pods } from '../runtime/k8s/workload.ts';
import { FakeLog } from '../runtime/observability/log.fake.ts';
import { createMetrics } from '../runtime/observability/metrics.ts';
import { seededRandom } from '../runtime/random.ts';
import { Urgency } from '../state/urgency.ts';
import { makeTargetCaches } from '../targets/caches.ts';
import { callsFor } from './calls/inflight.fixture.ts';
import { DriverCalls } from './calls/requests.ts';
import { classWritesIn } from './classwrites.fixture.ts';
import { reconcileMachine } from './controller.ts';
import type { MachineParts } from './deps.ts';
import { cloudOf, judged, type No } from './lifecloud.fixture.ts';
import { sourcesOf } from './observe.fixture.ts';
import { Meter } from './recorder.ts';

const KEY = 'herd/m';
const isSame =
  ({ metadata: { uid } }: Node) =>
  ({ metadata }: Node) =>
    metadata.uid === uid;
/** How exactly the moment of a look is kept, milliseconds. */
const STEP_MS = 500;
const LIMITS = { creationTimeoutMs: 1_200_000, healthTimeoutMs: 600_000, vmYouthMs: 600_000 };

/** A class that is held by its finalizer, so that VMs are made of it. */
export const heldClass = machineClass({ metadata: { finalizers: [FINALIZER] } });

/** What the driver answers of a VM that is there. */
export const VM = { providerID: 'virtual:///1', nodeName: 'm' };

/** A method of a driver that fails each time, with the number of the call in its words. */
export const failing = (code: Code, says = (count: number) => `no (request id: ${count}-x)`) => {
  let count = 0;
  return () => Promise.reject(new DriverError(code, says(++count)));
};

/** What is not as it is for every life. */
export interface Beside {
  one?: Machine;
  secrets?: readonly Secret[];
  tokens?: MachineParts['tokens'];
  /** Without one there is no Node to wait for. */
  hasTarget?: boolean;
  /** What the Leases of Nodes tell; nothing when absent. */
  heartbeats?: Target['heartbeats'];
  /** One class that needs no Secret unless told otherwise. */
  classes?: ReadonlyArray<ReturnType<typeof machineClass>>;
}

/**
 * One Machine over time, reconciled as the program does it: by the loop's own function, with its calls, on an API server in
 * memory. A driver has `cloudOf`'s methods, but for those that the test gives it.
 */
export class Life {
  readonly clock = new FakeClock(BORN);
  /** Each phase that it came to, and when: seconds. */
  readonly phases: string[] = [];
  /** When each method was called: seconds. */
  readonly called: Record<string, number[]> = {};
  readonly events: string[] = [];
  /** Writes that reached the API server, by what they are: method, path, body. */
  readonly sent: string[] = [];
  /** Why a write is refused; undefined for one that is not. */
  refuse: (write: string) => No | undefined = () => undefined;
  /** Writes that are answered with 200 and the object as it was: somebody's admission takes the change back. */
  takeBack: (write: string) => boolean = () => false;
  /** A look that throws is taken again with back-off, as the loop does it (runtime/queue/loop.ts); else it fails the test. */
  backsOff = false;
  /** How often it was looked at, and how often it may be. */
  passes = 0;
  most = Infinity;
  /** How often its status changed. */
  writes = 0;
  readonly #server: ApiServer;
  readonly #api: Api;
  readonly #parts: Promise<MachineParts>;
  readonly #methods: Partial<Driver>;
  #isWoken = false;
  #failures = 0;

  constructor(methods: Partial<Driver> = {}, beside: Beside = {}) {
    this.#server = new ApiServer({ clock: this.clock, random: seededRandom(1) });
    this.#api = new Api({ connection: judged(connectionTo(this.#server), this), clock: this.clock });
    this.#methods = { ...cloudOf(VM), ...methods };
    this.#parts = this.#begin(beside);
  }

  /** The Machine as the API server has it. */
  async machine(): Promise<Machine> {
    return this.#api.get(resources.machines, { namespace: 'herd', name: 'm' });
  }

  /** The Node as the target has it. */
  async node(): Promise<Node> {
    return this.#api.get(nodes, { name: 'm' });
  }

  /** Whether there is still a Machine, and a Node. */
  async left(): Promise<{ machine: boolean; node: boolean }> {
    const [machines, found] = [await this.#api.list(resources.machines), await this.#api.list(nodes)];
    return { machine: machines.items.length > 0, node: found.items.length > 0 };
  }

  /** Changes the Node as a person would, by a merge patch. */
  async changeNode(body: object): Promise<void> {
    await this.#api.patch(nodes, { name: 'm' }, { type: 'merge', body });
    await this.#seen();
  }

  /** Puts a pod on the Node. */
  async bind(name: string): Promise<void> {
    const pod = { metadata: { name, namespace: 'herd' }, spec: { nodeName: 'm' }, status: { phase: 'Running' } };
    await this.#api.create(pods, pod);
    await this.#seen();
  }

  /** The pods that are there. */
  async podNames(): Promise<string[]> {
    return (await this.#api.list(pods)).items.map(({ metadata }) => metadata.name);
  }

  /** Deletes the Node as a person would. */
  async removeNode(): Promise<void> {
    await this.#api.delete(nodes, { name: 'm' });
    await this.#seen();
  }

  /** Changes the Machine as a person would, by a merge patch. */
  async change(body: object): Promise<void> {
    await this.#api.patch(resources.machines, { namespace: 'herd', name: 'm' }, { type: 'merge', body });
    await this.#seen();
  }

  /** Another process takes over: what the driver said to the one before nobody remembers. */
  async takeOver(): Promise<void> {
    const [parts, { metadata }] = [await this.#parts, await this.machine()];
    parts.calls.forget(metadata.uid ?? '');
    parts.updates = callsFor({ clock: this.clock }).updatesOf(parts.drivers);
    this.#isWoken = true;
  }

  /** The class as it stands. */
  async class(): Promise<MachineClass | undefined> {
    return (await this.#parts).classes.get('herd/small');
  }

  /** The answer puts the Machine back as it is now, by a backup of the store; Nodes stay as they are. */
  async backup(): Promise<() => Promise<void>> {
    const then = await this.machine();
    return () => {
      this.#server.store.put('machine.sapcloud.io/machines', KEY, then);
      return this.#seen();
    };
  }

  /** Deletes the Machine. */
  async remove(): Promise<void> {
    await this.#api.delete(resources.machines, { namespace: 'herd', name: 'm' });
    await this.#seen();
  }

  /** Puts a Node into the target, the Machine's own and ready unless told otherwise. */
  async register(changes: Parameters<typeof node>[0] = {}): Promise<void> {
    const found: Node = node({ spec: { providerID: VM.providerID }, ...changes });
    const { name } = found.metadata;
    if (!(await unlessGone(this.#api.get(nodes, { name })))) await this.#api.create(nodes, found);
    const status = { type: 'merge', body: { status: found.status } } as const;
    await this.#api.patch(nodes, { name }, status, { subresource: 'status' });
    await this.#seen();
  }

  /** Lets time pass, with a look whenever one is due. */
  async pass(seconds: number): Promise<void> {
    const parts = await this.#parts;
    const end = this.clock.now() + seconds * 1_000;
    while (this.clock.now() < end) {
      this.#isWoken = false;
      this.passes += 1;
      if (this.passes > this.most) throw new Error(`looked at ${this.most} times`);
      const { after = Infinity } = await this.#attempt(parts);
      await this.#look(parts);
      await this.clock.advance(0);
      await this.#rest(Math.min(this.clock.now() + after, end));
    }
  }

  /** Caches show what there is, and the Machine is looked at. */
  async #seen(): Promise<void> {
    await this.#look(await this.#parts);
    this.#isWoken = true;
  }

  async #attempt(parts: MachineParts): ReturnType<typeof reconcileMachine> {
    try {
      const result = await reconcileMachine(parts, KEY);
      this.#failures = 0;
      return result;
    } catch (error) {
      if (!this.backsOff) throw error;
      return { after: Math.min(180_000, 100 * 2 ** this.#failures++) };
    }
  }

  async #rest(until: number): Promise<void> {
    while (!this.#isWoken && this.clock.now() < until)
      await this.clock.advance(Math.min(STEP_MS, until - this.clock.now()));
  }

  async #look({ machines, targets }: MachineParts): Promise<void> {
    const before = machines.get(KEY);
    const seen = before && openTargetOf(targets, before)?.nodes;
    const { items: there } = await this.#api.list(nodes);
    for (const one of seen?.list() ?? []) if (!there.some(isSame(one))) seen?.drop(one);
    for (const one of there) seen?.put(one);
    const bound = await this.#api.list(pods);
    if (before) openTargetOf(targets, before)?.pods.reset(bound.items, bound.resourceVersion);
    const now = await unlessGone(this.machine());
    if (!now) return void (before && machines.drop(before));
    const phase = now.status?.currentStatus?.phase;
    const at = (this.clock.now() - BORN) / 1000;
    if (phase && before?.status?.currentStatus?.phase !== phase) this.phases.push(`${phase} ${Math.round(at)}`);
    if (JSON.stringify(before?.status) !== JSON.stringify(now.status)) this.writes += 1;
    machines.put(now);
  }

  async #begin({ one = machine(), hasTarget = true, heartbeats, ...beside }: Beside): Promise<MachineParts> {
    await this.#api.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'herd' } } });
    const made = await this.#api.create(resources.machines, one);
    const { clock } = this;
    const enqueue = () => {
      this.#isWoken = true;
    };
    const { tokens, classes = [heldClass], ...around } = beside;
    const sources = { ...sourcesOf(made, { ...around, classes }), ...(tokens && { tokens }) };
    const target = openTargetOf(sources.targets, made);
    const caches = makeTargetCaches(new FakeLog());
    for (const cache of Object.values(caches)) cache.reset([], '1');
    if (target) Object.assign(target, { api: this.#api, heartbeats, ...caches });
    if (!hasTarget) sources.targets = oneTarget(undefined);
    const drivers = new Map([['virtual', this.#driver()]]);
    const { calls, updatesOf } = callsFor({ clock, onEnqueue: enqueue });
    const updates = updatesOf(drivers);
    updates.born(made.metadata.uid ?? '');
    const drains = new Drains({ clock, random: seededRandom(1), log: new FakeLog(), enqueue });
    const effects = { ...sources, calls, drains, updates, drivers, clock, metrics: createMetrics({ tables: [] }) };
    return {
      ...effects,
      limits: { ...sources.limits, ...LIMITS },
      machineWrites: { api: this.#api, resource: resources.machines, cache: sources.machines },
      classWrites: classWritesIn(sources.classes),
      driverCalls: new DriverCalls({ ...effects, lookUp: async () => made }),
      decisionLog: new DecisionLog({ ...effects, kind: 'machine', log: new FakeLog() }),
      meter: new Meter(effects),
      lanes: new Slots({ clock, enqueue, bounds: [] }),
      events: { record: (_of: unknown, { reason }: { reason: string }) => this.events.push(reason) } as never,
      urgency: new Urgency(sources.classes),
    };
  }

  /** The driver, whose calls are noted. */
  #driver(): Driver {
    const noted = (name: string, method: unknown) => {
      if (typeof method !== 'function') return method;
      return (...told: unknown[]) => {
        this.called[name] = [...(this.called[name] ?? []), (this.clock.now() - BORN) / 1000];
        return method(...told);
      };
    };
    const methods = Object.entries(this.#methods).map(([name, method]) => [name, noted(name, method)]);
    return { name: 'virtual', providerSpec: {}, ...Object.fromEntries(methods) };
  }
}
