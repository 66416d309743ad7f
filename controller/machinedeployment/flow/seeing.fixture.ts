import type { Machine } from '../../../schemas/machine.ts';
import type { MachineDeployment } from '../../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../../schemas/machineset.ts';
import { BORN } from '../../../test/fixtures/objects.ts';
import type { Note } from '../../flow/flow.ts';
import { RefusedChildren, Repeats } from '../../flow/refusals.ts';
import { DecisionLog } from '../../framework/decisionlog.ts';
import { oneTarget } from '../../model/target.fixture.ts';
import { ApiError } from '../../runtime/client/errors.ts';
import { FakeClock } from '../../runtime/clock.fake.ts';
import { Slots } from '../../runtime/fairness/slots.ts';
import type { KubeObject } from '../../runtime/k8s/object.ts';
import { FakeLog } from '../../runtime/observability/log.fake.ts';
import { createMetrics } from '../../runtime/observability/metrics.ts';
import type { Gate } from '../../safety/outage/gate.ts';
import { openGate } from '../../safety/outage/gates.fixture.ts';
import type { Births } from '../../state/births.ts';
import { makeCaches } from '../../state/caches.ts';
import { type MachineDeploymentParts, reconcileMachineDeployment } from '../controller.ts';
import { RefusedNodes } from './rolloutnodes.ts';
import type { SetFact } from './view.ts';

/** Annotations of a revision. */
export const revised = (revision: string) => ({
  'deployment.kubernetes.io/revision': revision,
  'machinedeployment.clusters.x-k8s.io/revision': revision,
});

const owned = <T extends Machine | MachineSet>(object: T, owner: string, annotations = {}): T => {
  const { metadata } = object;
  const ownerReferences = [
    { apiVersion: 'machine.sapcloud.io/v1alpha1', kind: 'x', name: owner, uid: owner, controller: true },
  ];
  return {
    ...object,
    metadata: { ...metadata, ownerReferences, annotations: { ...metadata.annotations, ...annotations } },
  };
};

const FORBIDDEN = { status: 403, reason: 'Forbidden' };

interface Seen {
  gate?: Gate;
  births?: Pick<Births, 'count'>;
  /** Why the API server refuses a write, `METHOD name`; it refuses none otherwise. */
  refuse?(write: string): string | undefined;
  /** How it says so. */
  refusal?: { status: number; reason: string };
}

/** A controller that sees this deployment with these sets, each of the revision of its place, a minute after it was made. */
export function seeing(
  deployment: MachineDeployment,
  sets: readonly SetFact[],
  { gate = openGate, births = { count: () => 0 }, ...says }: Seen = {},
) {
  const no = { refuse: () => undefined, refusal: FORBIDDEN, ...says };
  const log = new FakeLog();
  const caches = makeCaches(log);
  caches.deployments.reset([deployment], '1');
  const uid = deployment.metadata.uid ?? '';
  const own = sets.map(({ set }, index) => owned(set, uid, revised(`${index + 1}`)));
  caches.sets.reset(own, '1');
  caches.machines.reset(
    sets.flatMap(({ set, machines }) => machines.map((machine) => owned(machine, set.metadata.uid ?? ''))),
    '1',
  );
  const clock = new FakeClock(BORN + 60_000);
  const told: Note[] = [];
  const statuses: MachineDeployment['status'][] = [];
  const parts = {
    ...caches,
    clock,
    decisionLog: new DecisionLog({ kind: 'machineDeployment', log, metrics: createMetrics({ tables: [] }) }),
    events: { record: (_object: KubeObject, note: Note) => told.push(note) },
    gates: { of: () => gate },
    clusters: new Map(),
    drivers: new Map(),
    targets: oneTarget(undefined),
    refusedNodes: new RefusedNodes(),
    births,
    repeats: new Repeats(),
    refusals: new RefusedChildren(),
    disablesScaleDown: true,
    lanes: new Slots({ clock, bounds: [], enqueue: () => {} }),
    deploymentWrites: { api: serving([deployment], { ...no, statuses }), resource: {}, cache: caches.deployments },
    setWrites: { api: serving(own, no), resource: {}, cache: caches.sets },
  } as unknown as MachineDeploymentParts;
  const pass = () => reconcileMachineDeployment(parts, `herd/${deployment.metadata.name}`);
  return { pass, told, statuses, clock };
}

/** An API server that answers with these objects as they are, and notes what statuses it is sent. */
function serving(
  objects: readonly KubeObject[],
  { refuse, refusal, statuses = [] }: Required<Pick<Seen, 'refuse' | 'refusal'>> & { statuses?: unknown[] },
) {
  const answer = async (method: string, { name }: { name: string }) => {
    const why = refuse(`${method} ${name}`);
    if (why !== undefined) throw new ApiError(`${method} ${name}: ${why}`, refusal);
    return objects.find(({ metadata }) => metadata.name === name);
  };
  const patch = async (_resource: unknown, ref: { name: string }, { body }: { body: { status?: unknown } }) => {
    if (!body.status) return answer('patch', ref);
    statuses.push(body.status);
    return objects[0];
  };
  return {
    get: async (_resource: unknown, ref: { name: string }) => answer('get', ref),
    delete: async (_resource: unknown, ref: { name: string }) => answer('delete', ref),
    patch,
  };
}
