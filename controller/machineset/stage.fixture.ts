import { resources } from '../../schemas/kinds.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { machineClass, machineSet } from '../../test/fixtures/objects.ts';
import { ApiServer } from '../../test/world/apiserver.ts';
import { WorldClock } from '../../test/world/clock.ts';
import { connectionTo, jsonResponse } from '../../test/world/connection.ts';
import type { Driver } from '../drivers/sdk/driver.ts';
import { DecisionLog } from '../framework/decisionlog.ts';
import { oneTarget } from '../model/target.fixture.ts';
import { HotFields } from '../model/template.ts';
import { Api } from '../runtime/client/api.ts';
import type { Connection } from '../runtime/client/connection.ts';
import type { Events } from '../runtime/events/events.ts';
import { FakeLog } from '../runtime/observability/log.fake.ts';
import { createMetrics, type Metrics } from '../runtime/observability/metrics.ts';
import { seededRandom } from '../runtime/random.ts';
import { openGates } from '../safety/outage/gates.fixture.ts';
import { Births } from '../state/births.ts';
import { type Caches, makeCaches } from '../state/caches.ts';
import { MachineSetController } from './controller.ts';
import { replacementMetrics } from './metrics.ts';

/** How a server says no. */
interface Refusal {
  code: number;
  reason: string;
}

/** The controller of sets, a server in memory that holds the set `herd/set`, and caches that have just been filled. */
export interface SetStage {
  api: Api;
  births: Births;
  caches: Caches;
  clock: WorldClock;
  controller: MachineSetController;
  metrics: Metrics;
  /** Answers why the server refuses a request, `METHOD /path`; it refuses none at first. With 403 unless told otherwise. */
  refuse(why: (request: string) => string | undefined, as?: Refusal): void;
  /** Reasons of events. */
  told: string[];
  /** Brings the caches to what the server holds. */
  catchUp(): Promise<void>;
  set(): Promise<MachineSet>;
}

/** Sets the stage; `set` is what the set has beside the usual. */
export async function setStage(set: MachineSet = machineSet()): Promise<SetStage> {
  const clock = new WorldClock();
  const log = new FakeLog();
  let why: (request: string) => string | undefined = () => undefined;
  let how: Refusal = { code: 403, reason: 'Forbidden' };
  const told: string[] = [];
  const server = connectionTo(new ApiServer({ clock, random: seededRandom(1) }));
  const api = new Api({ connection: refusing(server, (request) => ({ message: why(request), ...how })), clock });
  await api.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'herd' } } });
  const caches = makeCaches(log);
  const { apiVersion, kind } = { apiVersion: 'machine.sapcloud.io/v1alpha1', kind: 'MachineSet' };
  await api.create(resources.machineSets, { apiVersion, kind, ...set });
  const catchUp = async () => {
    const [sets, machines] = await Promise.all([api.list(resources.machineSets), api.list(resources.machines)]);
    caches.sets.reset(sets.items, sets.resourceVersion);
    caches.machines.reset(machines.items, machines.resourceVersion);
  };
  await catchUp();
  caches.classes.put(machineClass());
  const metrics = createMetrics({ tables: [replacementMetrics] });
  const births = new Births({ ...caches, clock });
  const controller = controllerOn({ api, births, caches, clock, metrics, log, told });
  return {
    api,
    births,
    caches,
    clock,
    controller,
    metrics,
    catchUp,
    told,
    refuse: (by, as = how) => {
      why = by;
      how = as;
    },
    set: () => api.get(resources.machineSets, { namespace: 'herd', name: set.metadata.name }),
  };
}

function controllerOn({
  api,
  births,
  caches,
  clock,
  metrics,
  log,
  told,
}: Pick<SetStage, 'api' | 'births' | 'caches' | 'clock' | 'metrics' | 'told'> & { log: FakeLog }) {
  return new MachineSetController({
    ...caches,
    clock,
    decisionLog: new DecisionLog({ kind: 'machineSet', log, metrics }),
    events: { record: (_of: unknown, { reason }: { reason: string }) => told.push(reason) } as unknown as Events,
    metrics,
    gates: openGates,
    clusters: new Map(),
    targets: oneTarget(undefined),
    drivers: new Map([['virtual', {} as Driver]]),
    hotFields: new HotFields(new Map()),
    overshoot: { up: 2, down: 1, periodMs: 60_000 },
    births,
    setWrites: { api, resource: resources.machineSets, cache: caches.sets },
    machineWrites: { api, resource: resources.machines, cache: caches.machines },
  });
}

/** The connection, of which some requests are refused as admission does it. */
function refusing(
  connection: Connection,
  say: (request: string) => Refusal & { message: string | undefined },
): Connection {
  const { send = fetch } = connection;
  return {
    ...connection,
    send: async (url, init) => {
      const { message, code, reason } = say(`${init.method ?? 'GET'} ${new URL(url).pathname}`);
      if (message === undefined) return send(url, init);
      return jsonResponse({ code, body: { kind: 'Status', status: 'Failure', reason, message, code } });
    },
  };
}
