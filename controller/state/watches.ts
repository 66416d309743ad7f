import type { Cluster } from '../../schemas/cluster.ts';
import { LABEL_MACHINE_NAME } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { isSame } from '../../schemas/same.ts';
import { isEmpty, picking, type Selector } from '../../schemas/selector.ts';
import { defaults, type Trigger } from '../flow/priority.ts';
import { isFrozen, standingOf } from '../model/freeze.ts';
import { mayHoldVm, replicasOf } from '../model/holding.ts';
import { childrenIn, siblingsIn } from '../model/ownership.ts';
import { nodeKeyIn } from '../model/target.ts';
import { recordedKey } from '../nodes/owner.ts';
import type { Node } from '../runtime/k8s/core.ts';
import { controllerOf, type KubeObject, keyOf } from '../runtime/k8s/object.ts';
import type { Queue } from '../runtime/queue/queue.ts';
import type { Cache, Change } from '../runtime/watch/cache.ts';
import type { Opened } from '../targets/pool.ts';
import type { Caches } from './caches.ts';
import type { Urgency } from './urgency.ts';

/** The keys that wait to be reconciled. */
export interface Queues {
  machines: Queue;
  sets: Queue;
  deployments: Queue;
  /** How urgent Machines are. */
  urgency: Urgency;
}

/**
 * How long an owner waits for more news of its children, milliseconds: a thousand machines that become ready are a few
 * writes of the set's status, not a thousand.
 */
const GATHER_MS = 100;

/** Parts of selectors that one child of nobody's is held against, less than a millisecond's work (hack/decisions/0028 T65). */
const MOST_PARTS = 50_000;

/** Queues keys as the caches change: who is woken by what. */
export function connect(caches: Caches, queues: Queues): void {
  caches.deployments.onChange((change) => {
    wake(queues.deployments, change);
    wakeSharers(queues, caches, change);
  });
  caches.sets.onChange((change) => {
    wake(queues.sets, change);
    wakeOwners(queues.deployments, caches.deployments, change);
    if (takesLess(change)) wakeSiblings(queues, caches, change);
  });
  caches.machines.onChange((change) => {
    wakeMachineOf(queues, change);
    const sets = ownersOf(caches.sets, change);
    wakeEach(queues.sets, sets);
    for (const set of oneOfEachFamily(sets)) {
      wakeOwners(queues.deployments, caches.deployments, { after: set });
      if (hasLetGo(change)) wakeSiblings(queues, caches, { after: set });
    }
  });
  caches.classes.onChange(({ key }) => {
    wakeMachines(queues, caches.machines.by('class', key));
    for (const one of caches.deployments.by('class', key))
      queues.deployments.add(keyOf(one), { priority: defaults.generic });
  });
  caches.clusters.onChange((change) => {
    if (isOther(change)) wakeCluster(caches, queues, change.key);
  });
  caches.secrets.onChange(({ key }) => {
    for (const found of caches.classes.by('secret', key))
      wakeMachines(queues, caches.machines.by('class', keyOf(found)));
    wakeMachines(queues, caches.machines.by('secret', key));
  });
}

/** Whether a Cluster changed in a way that matters to what names it: what is told of it does not. */
const isOther = ({ before, after }: Change<Cluster>): boolean =>
  before?.metadata.uid !== after?.metadata.uid ||
  before?.spec?.paused !== after?.spec?.paused ||
  before?.metadata.deletionTimestamp !== after?.metadata.deletionTimestamp;

/** Wakes the Machines of Nodes that changed in a way that matters to them, and all of a target when it becomes known, away or back. */
export function connectTarget({ target, cluster, whenKnown }: Opened, caches: Caches, queues: Queues): void {
  const wakeAll = () => wakeCluster(caches, queues, cluster);
  whenKnown().then(wakeAll, () => {});
  target.reach.onChange(wakeAll);
  target.nodes.sync.onChange(wakeAll);
  target.nodes.onChange(({ before, after, initial }) => {
    if (initial || (before && after && !isNews(before, after))) return;
    const machines = caches.machines.by('node', nodeKeyIn(target, (after ?? before)?.metadata.name ?? ''));
    wakeMachines(queues, machines);
    if (whoseIs(before) !== whoseIs(after)) wakeRollouts(caches, queues, machines);
  });
}

/** What a Node says of whose it is: rollouts touch only those that say so (hack/decisions/0061). */
const whoseIs = (node: Node | undefined): string | undefined =>
  node && `${recordedKey(node)} ${node.metadata.labels?.[LABEL_MACHINE_NAME]}`;

/** Of machines of nobody's none: no rollout touches their Nodes before a set has adopted them, which is news of its own. */
function wakeRollouts(caches: Caches, queues: Queues, machines: readonly Machine[]): void {
  const sets = machines.flatMap((machine) => namedOwner(caches.sets, machine));
  for (const set of oneOfEachFamily(sets)) wakeEach(queues.deployments, namedOwner(caches.deployments, set));
}

/** Queues all that names this Cluster, by its key: how it stands has changed. */
export function wakeCluster(caches: Caches, queues: Queues, cluster: string): void {
  wakeMachines(queues, caches.machines.by('cluster', cluster));
  for (const set of caches.sets.by('cluster', cluster)) queues.sets.add(keyOf(set), { priority: defaults.generic });
  for (const one of caches.deployments.by('cluster', cluster))
    queues.deployments.add(keyOf(one), { priority: defaults.generic });
}

/** Queues every object again, so that nothing that an event failed to tell stays unseen. */
export function resync(caches: Caches, queues: Queues): void {
  for (const one of caches.machines.list()) queueMachine(queues, one, 'generic');
  for (const set of caches.sets.list()) queues.sets.add(keyOf(set), { priority: defaults.generic });
  for (const one of caches.deployments.list()) queues.deployments.add(keyOf(one), { priority: defaults.generic });
}

/** Queues every object again: the control API server is away, or back. */
export function wakeAll(caches: Caches, queues: Queues): void {
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

function wake<T extends KubeObject>(queue: Queue, change: Change<T>): void {
  queue.add(change.key, { priority: defaults[triggerOf(change)] });
}

function wakeMachineOf(queues: Queues, change: Change<Machine>): void {
  const { before, after } = change;
  if (before && before.metadata.uid !== after?.metadata.uid) queues.urgency.forget(before.metadata.uid ?? '');
  if (before && after && isEdited(before, after)) queues.urgency.changed(after);
  const machine = after ?? before;
  if (machine) queueMachine(queues, machine, triggerOf(change));
}

/** Queues these Machines: something that their facts are made from has changed. */
export function wakeMachines(queues: Queues, machines: readonly Machine[]): void {
  for (const machine of machines) {
    queues.urgency.changed(machine);
    queueMachine(queues, machine, 'generic');
  }
}

function queueMachine({ machines, urgency }: Queues, machine: Machine, trigger: Trigger): void {
  machines.add(keyOf(machine), { priority: urgency.of(machine, trigger) });
}

/** Somebody changed more than what is told of it. */
const isEdited = ({ metadata: old }: Machine, { metadata: now }: Machine): boolean =>
  old.uid === now.uid &&
  (old.generation !== now.generation || !isSame([old.labels, old.annotations], [now.labels, now.annotations]));

function wakeOwners<T extends MachineSet | MachineDeployment>(queue: Queue, owners: Cache<T>, family: Family): void {
  wakeEach(queue, ownersOf(owners, family));
}

function wakeEach(queue: Queue, owners: readonly KubeObject[]): void {
  for (const owner of owners) queue.add(keyOf(owner), { priority: defaults.generic, after: GATHER_MS });
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

/** Sets share the deployment's budget for preserved machines, and its freeze: they look at once when these change. */
function wakeSharers(queues: Queues, { sets }: Caches, { before, after }: Change<MachineDeployment>): void {
  const [old, now] = [before, after].map((one) => [
    one?.spec.autoPreserveFailedMachineMax ?? 0,
    one !== undefined && isHeld(one),
  ]);
  if (!after || isSame(old, now)) return;
  for (const set of childrenIn(sets, after)) queues.sets.add(keyOf(set), { priority: defaults.generic });
}

/** Sets share the deployment's replicas + maxSurge: what one no longer takes, others may (machineset/siblings.ts). */
function wakeSiblings(
  queues: Queues,
  { sets }: Caches,
  { before, after }: { before?: MachineSet; after?: MachineSet },
) {
  const changed = after ?? before;
  for (const set of changed ? siblingsIn(sets, changed) : [])
    if (set.metadata.uid !== changed?.metadata.uid && replicasOf(set) > 0)
      queues.sets.add(keyOf(set), { priority: defaults.generic, after: GATHER_MS });
}

/** A set is to have fewer machines than before, or makes none any more. */
const takesLess = ({ before, after }: Change<MachineSet>): boolean =>
  before !== undefined && (!after || wanted(after) < wanted(before));

/** One that is deleted makes no machines. */
const wanted = (set: MachineSet): number => (set.metadata.deletionTimestamp ? 0 : replicasOf(set));

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

/** Who is not found for the many that there are looks at it with the next resync. */
function adoptersOf<T extends MachineSet | MachineDeployment>(owners: Cache<T>, { metadata }: KubeObject): T[] {
  const work = { left: MOST_PARTS };
  return owners.by('namespace', metadata.namespace ?? '').filter(({ spec }) => {
    const selector: Selector | undefined = spec?.selector;
    return !isEmpty(selector) && picking(selector, work)(metadata.labels);
  });
}

const isHeld = (deployment: MachineDeployment): boolean =>
  isFrozen(standingOf(deployment, deployment.status?.conditions));

function triggerOf({ before, after }: Change<KubeObject>): Trigger {
  if (!after) return 'delete';
  return before ? 'update' : 'create';
}

/** Anything but a heart-beat: what a Machine's facts are made from (MCM 6.1). */
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
