import type { Cluster } from '../../schemas/cluster.ts';
import { LABEL_MACHINE_NAME } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { isSame } from '../../schemas/same.ts';
import { isEmpty, picking, type Selector } from '../../schemas/selector.ts';
import { defaults, type Trigger } from '../flow/priority.ts';
import { freezeStateOf, isFrozen } from '../model/freeze.ts';
import { mayHoldVm, replicasOf } from '../model/machine.ts';
import { childrenIn, siblingsIn } from '../model/ownership.ts';
import { nodeKeyIn } from '../model/target.ts';
import { recordedKey } from '../nodes/owner.ts';
import type { Node } from '../runtime/k8s/core.ts';
import { controllerOf, type KubeObject, keyOf } from '../runtime/k8s/object.ts';
import type { Queue } from '../runtime/queue/queue.ts';
import type { Cache, Change } from '../runtime/watch/cache.ts';
import type { Opened } from '../targets/pool.ts';
import type { Caches } from './caches.ts';
import { gatherFor, gatherMs } from './gathering.ts';
import type { Urgency } from './urgency.ts';

/** The keys that wait to be reconciled. */
export interface Queues {
  machines: Queue;
  sets: Queue;
  deployments: Queue;
  /** How urgent Machines are. */
  urgency: Urgency;
}

/** Parts of selectors that one child of nobody's is held against, less than a millisecond's work (hack/decisions/0028 T65). */
const MOST_PARTS = 50_000;

/** The event handlers of the control cluster: which change enqueues which keys. */
export function addEventHandlers(caches: Caches, queues: Queues): void {
  caches.deployments.onChange((change) => {
    enqueueOwner(queues.deployments, change);
    enqueueSharers(queues, caches, change);
  });
  caches.sets.onChange((change) => {
    enqueueOwner(queues.sets, change);
    enqueueOwners(queues.deployments, caches.deployments, change);
    if (takesLess(change)) enqueueSiblings(queues, caches, change);
  });
  caches.machines.onChange((change) => {
    enqueueMachineOf(queues, change);
    const sets = ownersOf(caches.sets, change);
    enqueueEach(queues.sets, sets);
    for (const set of oneOfEachFamily(sets)) {
      enqueueOwners(queues.deployments, caches.deployments, { after: set });
      if (hasLetGo(change)) enqueueSiblings(queues, caches, { after: set });
    }
  });
  caches.classes.onChange(({ key }) => {
    enqueueMachines(queues, caches.machines.by('class', key));
    for (const one of caches.deployments.by('class', key))
      queues.deployments.add(keyOf(one), { priority: defaults.generic });
  });
  caches.clusters.onChange((change) => {
    if (isOther(change)) enqueueCluster(caches, queues, change.key);
  });
  caches.secrets.onChange(({ key }) => {
    for (const found of caches.classes.by('secret', key))
      enqueueMachines(queues, caches.machines.by('class', keyOf(found)));
    enqueueMachines(queues, caches.machines.by('secret', key));
  });
}

/** Whether a Cluster changed in a way that matters to what names it: its status does not. */
const isOther = ({ before, after }: Change<Cluster>): boolean =>
  before?.metadata.uid !== after?.metadata.uid ||
  before?.spec?.paused !== after?.spec?.paused ||
  before?.metadata.deletionTimestamp !== after?.metadata.deletionTimestamp;

/** Those of a target cluster: its Nodes enqueue their Machines, and all of them when it becomes known, unreachable or reachable. */
export function addTargetEventHandlers({ target, cluster, whenKnown }: Opened, caches: Caches, queues: Queues): void {
  const enqueueAll = () => enqueueCluster(caches, queues, cluster);
  whenKnown().then(enqueueAll, () => {});
  target.reach.onChange(enqueueAll);
  target.nodes.sync.onChange(enqueueAll);
  target.nodes.onChange(({ before, after, initial }) => {
    if (initial || (before && after && !isNews(before, after))) return;
    const machines = caches.machines.by('node', nodeKeyIn(target, (after ?? before)?.metadata.name ?? ''));
    enqueueMachines(queues, machines);
    if (whoseIs(before) !== whoseIs(after)) enqueueRollouts(caches, queues, machines);
  });
}

/** What a Node says of whose it is: rollouts touch only those that say so (hack/decisions/0061). */
const whoseIs = (node: Node | undefined): string | undefined =>
  node && `${recordedKey(node)} ${node.metadata.labels?.[LABEL_MACHINE_NAME]}`;

/** Of machines of nobody's none: no rollout touches their Nodes before a set has adopted them, which is news of its own. */
function enqueueRollouts(caches: Caches, queues: Queues, machines: readonly Machine[]): void {
  const sets = machines.flatMap((machine) => namedOwner(caches.sets, machine));
  for (const set of oneOfEachFamily(sets)) enqueueEach(queues.deployments, namedOwner(caches.deployments, set));
}

/** Enqueues all that names this Cluster, by its key: its state has changed. */
export function enqueueCluster(caches: Caches, queues: Queues, cluster: string): void {
  enqueueMachines(queues, caches.machines.by('cluster', cluster));
  for (const set of caches.sets.by('cluster', cluster)) queues.sets.add(keyOf(set), { priority: defaults.generic });
  for (const one of caches.deployments.by('cluster', cluster))
    queues.deployments.add(keyOf(one), { priority: defaults.generic });
}

/** Enqueues every object again, so that a missed event is made up for. */
export function resync(caches: Caches, queues: Queues): void {
  for (const one of caches.machines.list()) enqueueMachine(queues, one, 'generic');
  for (const set of caches.sets.list()) queues.sets.add(keyOf(set), { priority: defaults.generic });
  for (const one of caches.deployments.list()) queues.deployments.add(keyOf(one), { priority: defaults.generic });
}

/** Enqueues every object again: the control API server has become unreachable, or reachable. */
export function enqueueAll(caches: Caches, queues: Queues): void {
  for (const one of caches.machines.list()) queues.urgency.changed(one);
  resync(caches, queues);
}

/** How urgent a Machine's key is when nothing has changed. */
export function priorityOfMachine(caches: Pick<Caches, 'machines'>, { urgency }: Queues, key: string): number {
  const machine = caches.machines.get(key);
  return machine ? urgency.of(machine, 'generic') : defaults.generic;
}

/** Children of one owner change together: the owner is looked at once for all of them. */
interface Family {
  before?: KubeObject;
  after?: KubeObject;
}

/** An owner of which only the status changed has just reported on its children, and waits for more news of them (hack/decisions/0063). */
function enqueueOwner<T extends MachineSet | MachineDeployment>(queue: Queue, change: Change<T>): void {
  const after = isOnlyTold(change) ? gatherMs(queue, change.key) : 0;
  queue.add(change.key, { priority: defaults[triggerOf(change)], after });
}

const isOnlyTold = ({ before, after }: Change<MachineSet | MachineDeployment>): boolean =>
  before !== undefined && after !== undefined && isSame(wordOf(before), wordOf(after));

/** All but what is told of it. */
const wordOf = ({ metadata: { resourceVersion: _, ...metadata }, spec }: MachineSet | MachineDeployment): unknown => [
  metadata,
  spec,
];

function enqueueMachineOf(queues: Queues, change: Change<Machine>): void {
  const { before, after } = change;
  if (before && before.metadata.uid !== after?.metadata.uid) queues.urgency.forget(before.metadata.uid ?? '');
  if (before && after && isEdited(before, after)) queues.urgency.changed(after);
  const machine = after ?? before;
  if (machine) enqueueMachine(queues, machine, triggerOf(change));
}

/** Enqueues these Machines: something that their facts are made from has changed. */
export function enqueueMachines(queues: Queues, machines: readonly Machine[]): void {
  for (const machine of machines) {
    queues.urgency.changed(machine);
    enqueueMachine(queues, machine, 'generic');
  }
}

function enqueueMachine({ machines, urgency }: Queues, machine: Machine, trigger: Trigger): void {
  machines.add(keyOf(machine), { priority: urgency.of(machine, trigger) });
}

/** More than its status has changed. */
const isEdited = ({ metadata: old }: Machine, { metadata: now }: Machine): boolean =>
  old.uid === now.uid &&
  (old.generation !== now.generation || !isSame([old.labels, old.annotations], [now.labels, now.annotations]));

function enqueueOwners<T extends MachineSet | MachineDeployment>(queue: Queue, owners: Cache<T>, family: Family): void {
  enqueueEach(queue, ownersOf(owners, family));
}

function enqueueEach(queue: Queue, owners: readonly KubeObject[]): void {
  for (const owner of owners) gatherFor(queue, keyOf(owner));
}

/** One set of each deployment; of nobody's set none, for no deployment counts its machines. */
function oneOfEachFamily(sets: readonly MachineSet[]): Iterable<MachineSet> {
  const families = new Map<string, MachineSet>();
  for (const set of sets) {
    const uid = controllerOf(set)?.uid;
    if (uid !== undefined && !families.has(uid)) families.set(uid, set);
  }
  return families.values();
}

/** Sets share the deployment's budget for preserved machines, and its freeze: they are enqueued at once when these change. */
function enqueueSharers(queues: Queues, { sets }: Caches, { before, after }: Change<MachineDeployment>): void {
  const [old, now] = [before, after].map((one) => [
    one?.spec.autoPreserveFailedMachineMax ?? 0,
    one !== undefined && isFrozenDeployment(one),
  ]);
  if (!after || isSame(old, now)) return;
  for (const set of childrenIn(sets, after)) queues.sets.add(keyOf(set), { priority: defaults.generic });
}

/** Sets share the deployment's replicas + maxSurge: what one no longer takes, others may (machineset/siblings.ts). */
function enqueueSiblings(
  queues: Queues,
  { sets }: Caches,
  { before, after }: { before?: MachineSet; after?: MachineSet },
) {
  const changed = after ?? before;
  for (const set of changed ? siblingsIn(sets, changed) : [])
    if (set.metadata.uid !== changed?.metadata.uid && replicasOf(set) > 0) gatherFor(queues.sets, keyOf(set));
}

/** A set is to have fewer machines than before, or makes none any more. */
const takesLess = ({ before, after }: Change<MachineSet>): boolean =>
  before !== undefined && (!after || desiredReplicas(after) < desiredReplicas(before));

/** One that is deleted makes no machines. */
const desiredReplicas = (set: MachineSet): number => (set.metadata.deletionTimestamp ? 0 : replicasOf(set));

/** A Machine holds a VM no longer, or not one that counts for those for whom it did. */
const hasLetGo = ({ before, after }: Change<Machine>): boolean =>
  before !== undefined &&
  mayHoldVm(before) &&
  !(after && mayHoldVm(after) && isSame(countedBy(before), countedBy(after)));

/** Whom it counts for: its controller, or without one whoever selects it. */
const countedBy = (machine: Machine): unknown => controllerOf(machine)?.uid ?? machine.metadata.labels ?? {};

/** The owners that a child names, before and after, and where it has no controller all that could adopt it. */
function ownersOf<T extends MachineSet | MachineDeployment>(owners: Cache<T>, { before, after }: Family): T[] {
  const children = before && after && isOwnedAlike(before, after) ? [after] : [before, after];
  const found = children.flatMap((child) => (child ? ownersOfOne(owners, child) : []));
  return [...new Set(found)];
}

/** Nearly every change: whom the child could belong to is looked for once, for they may be many. */
const isOwnedAlike = (before: KubeObject, after: KubeObject): boolean =>
  isSame(controllerOf(before), controllerOf(after)) && isSame(before.metadata.labels, after.metadata.labels);

const ownersOfOne = <T extends MachineSet | MachineDeployment>(owners: Cache<T>, child: KubeObject): T[] =>
  controllerOf(child) ? namedOwner(owners, child) : adoptersOf(owners, child);

/** The controller that a child names, if it is there. */
function namedOwner<T extends MachineSet | MachineDeployment>(owners: Cache<T>, child: KubeObject): T[] {
  const owner = controllerOf(child);
  const found = owner && owners.get(`${child.metadata.namespace}/${owner.name}`);
  return found ? [found] : [];
}

/** Owners that are not found, for there are too many, see it with the next resync. */
function adoptersOf<T extends MachineSet | MachineDeployment>(owners: Cache<T>, { metadata }: KubeObject): T[] {
  const work = { left: MOST_PARTS };
  return owners.by('namespace', metadata.namespace ?? '').filter(({ spec }) => {
    const selector: Selector | undefined = spec?.selector;
    return !isEmpty(selector) && picking(selector, work)(metadata.labels);
  });
}

const isFrozenDeployment = (deployment: MachineDeployment): boolean =>
  isFrozen(freezeStateOf(deployment, deployment.status?.conditions));

function triggerOf({ before, after }: Change<KubeObject>): Trigger {
  if (!after) return 'delete';
  return before ? 'update' : 'create';
}

/** Anything but a heart-beat: what a Machine's facts are made from (hack/spec/mcm.md 6.1). */
function isNews(before: Node, after: Node): boolean {
  return !isSame(facts(before), facts(after));
}

function facts({ metadata, spec, status }: Node): unknown {
  const conditions = status?.conditions?.map(({ type, status: is, reason }) => [type, is, reason]);
  return [
    metadata.uid,
    metadata.deletionTimestamp,
    metadata.labels,
    metadata.annotations,
    spec?.providerID,
    spec?.taints,
    conditions,
    status?.addresses,
    status?.capacity,
    status?.nodeInfo?.['kubeletVersion'],
  ];
}
