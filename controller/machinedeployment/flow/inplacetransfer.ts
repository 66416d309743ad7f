import {
  ANNOTATION_UPDATE_FAILED_REASON,
  ANNOTATION_UPDATE_FOR,
  LABEL_CANDIDATE,
  LABEL_GARDENER_POOL,
  LABEL_SCALE_UP_DISABLED,
  LABEL_SELECTED,
  LABEL_UPDATE_RESULT,
  TAINT_CRITICAL_COMPONENTS,
} from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import { act, type Outcome, pass } from '../../flow/flow.ts';
import { isArriving } from '../../model/machine.ts';
import { ownedBy } from '../../model/ownership.ts';
import { phaseRow } from '../../model/phases.ts';
import { isPaused } from '../../model/readiness.ts';
import { withoutNode } from '../../model/template.ts';
import { IN_PLACE_CONDITION, inPlaceReason, type NodeChange } from '../../nodes/change.ts';
import { uncordoned } from '../../nodes/owner.ts';
import type { Node } from '../../runtime/k8s/core.ts';
import { conditionOf } from '../../runtime/k8s/core.ts';
import type { Reason } from './reasons.ts';
import { changed } from './rolloutnodes.ts';
import {
  type MachineDeploymentAction,
  type MachinePatch,
  type NodeMark,
  type Scaling,
  type SetFact,
  type Sorted,
  specReplicas,
} from './view.ts';

type Answer = Outcome<MachineDeploymentAction, Reason>;

/**
 * Machines that were updated in place count in the set that they came to, and their Nodes are as before. Each part may be
 * the last before a crash; none waits for a machine that has yet to join (hack/spec/mcm.md 4.7c 4, mended).
 */
export function machinesTransferred(view: Sorted): Answer {
  const scalings = recounted(view);
  if (scalings.length > 0) return act('SyncReplicas', { do: 'scale', scalings });
  const arrived = view.newSet.machines.filter(isArriving);
  if (arrived.length > 0)
    return act('RemoveTransferLabels', { do: 'patchMachines', patches: arrived.map(settledPatch) });
  const marks = cleaning(view);
  return marks.length > 0 ? act('CleanUpNodes', { do: 'markNodes', marks, mayFail: true }) : pass;
}

/** Machines of old sets whose update has succeeded, on their way into the new set (hack/spec/mcm.md 4.7c 5). */
export function transfers({ newSet, oldSets, nodes }: Sorted): MachinePatch[] {
  return oldSets.flatMap((from) =>
    from.machines
      .filter((machine) => isMoving(machine, newSet, nodes?.get(machine.metadata.uid ?? '')))
      .map((machine) => transferPatch(machine, from, newSet)),
  );
}

/** Not on its way out. */
export const isStaying = ({ metadata }: Machine): boolean => !metadata.deletionTimestamp;

/** The new set grows by who came, old sets that make no machines shrink to what they have. */
function recounted({ newSet, oldSets }: Sorted): Scaling[] {
  const staying = newSet.machines.filter(isStaying);
  const came = Math.min(staying.filter(isArriving).length, staying.length - specReplicas(newSet));
  const grown = came > 0 ? [{ set: newSet.set, replicas: specReplicas(newSet) + came }] : [];
  const shrunk = oldSets
    .filter(({ set }) => set.metadata.labels?.[LABEL_SCALE_UP_DISABLED] !== undefined)
    .map((fact) => ({ fact, left: fact.machines.filter(isStaying).length }))
    .filter(({ fact, left }) => left < specReplicas(fact))
    .map(({ fact: { set }, left }) => ({ set, replicas: left }));
  return [...grown, ...shrunk];
}

const settledPatch = (machine: Machine): MachinePatch => ({
  machine,
  metadata: { labels: { [LABEL_UPDATE_RESULT]: null } },
});

function isMoving(machine: Machine, to: SetFact, node: Node | undefined): boolean {
  const { metadata } = machine;
  if (isPaused(machine) || (node && !isForSet(node, to))) return false;
  const said = conditionOf(machine, IN_PLACE_CONDITION)?.reason === 'UpdateSuccessful';
  const done = node?.metadata.labels?.[LABEL_UPDATE_RESULT] === 'successful';
  return said && done && !metadata.deletionTimestamp && !phaseRow(machine).bound;
}

/** One write: owner and labels of the new set in place of the old one's, and the mark that protects the newcomer. */
function transferPatch(machine: Machine, { set: from }: SetFact, { set: to }: SetFact): MachinePatch {
  const { uid, resourceVersion, ownerReferences = [] } = machine.metadata;
  const others = ownerReferences.filter((owner) => owner.uid !== from.metadata.uid);
  const old = Object.keys(withoutNode(from.spec?.template?.metadata?.labels)).map((key) => [key, null]);
  const labels = {
    ...Object.fromEntries(old),
    ...withoutNode(to.spec?.template?.metadata?.labels),
    [LABEL_UPDATE_RESULT]: 'successful',
  };
  const owners = [...others, ownedBy(to, 'MachineSet')];
  return { machine, metadata: { uid, resourceVersion, labels, ownerReferences: owners } };
}

/** What is left of updates on Nodes of the present template, whose machines need none. */
const cleaning = (view: Sorted): NodeMark[] => changed(view, [view.newSet], (node) => cleanedNode(node, view.newSet));

/**
 * An update that an agent may be working on goes on to its end; of one that succeeded, or never began, nothing is left. One for a template
 * that was rolled back is done again.
 */
function cleanedNode(node: Node, own: SetFact): NodeChange {
  const { labels = {} } = node.metadata;
  const reason = inPlaceReason(node);
  if (isUpdated(node)) return isForSet(node, own) ? finished(node) : updatedAgain(own);
  if (labels[LABEL_UPDATE_RESULT] !== undefined || (reason !== undefined && AT_WORK.has(reason))) return {};
  if (isNotedFor(node, own) && labels[LABEL_CANDIDATE] !== undefined) return {};
  return {
    labels: { [LABEL_CANDIDATE]: null, [LABEL_SELECTED]: null },
    annotations: { [ANNOTATION_UPDATE_FOR]: null },
  };
}

const AT_WORK: ReadonlySet<string> = new Set(['DrainSuccessful', 'ReadyForUpdate', 'UpdateFailed']);

/** Where no controller removes the taint of critical components, it is not put on: the Node would never take pods again (mends 4.7c). */
function finished(node: Node): NodeChange {
  const critical = { key: TAINT_CRITICAL_COMPONENTS, effect: 'NoSchedule' };
  const gardeners = node.metadata.labels?.[LABEL_GARDENER_POOL] !== undefined;
  const { annotations, ...cordon } = uncordoned(node);
  return {
    labels: { [LABEL_CANDIDATE]: null, [LABEL_SELECTED]: null, [LABEL_UPDATE_RESULT]: null },
    annotations: { ...annotations, [ANNOTATION_UPDATE_FAILED_REASON]: null, [ANNOTATION_UPDATE_FOR]: null },
    ...cordon,
    ...(gardeners && { taints: { add: [critical] } }),
  };
}

/**
 * For which set a Node is updated in place. An agent does not know the template: what it did before the present template existed, or before
 * that was restored, does not make a machine one of the present template (hack/decisions/0051 U19).
 */
const setOf = ({ metadata }: Node): string | undefined => metadata.annotations?.[ANNOTATION_UPDATE_FOR];

/** The note that an update is for this set. */
export const updateFor = ({ set }: SetFact): NodeChange => ({
  annotations: { [ANNOTATION_UPDATE_FOR]: set.metadata.uid ?? '' },
});

/** The agent has said that it is done, and that is recorded. */
export const isUpdated = (node: Node): boolean =>
  node.metadata.labels?.[LABEL_UPDATE_RESULT] === 'successful' && inPlaceReason(node) === 'UpdateSuccessful';

/** Whether the Node's update counts for the set. Of one that MCM began, nothing is noted: it counts, as there. */
export const isForSet = (node: Node, { set }: SetFact): boolean =>
  setOf(node) === undefined || setOf(node) === set.metadata.uid;

/** It is noted that the Node's update is for this set. */
export const isNotedFor = (node: Node, { set }: SetFact): boolean => setOf(node) === set.metadata.uid;

/** The Node stays selected and empty, and is updated once more. */
export const updatedAgain = (to: SetFact): NodeChange => ({
  labels: { [LABEL_UPDATE_RESULT]: null },
  ...updateFor(to),
});

/** What becomes of an update of an old machine: as long as no agent was told to begin it is for the newest set. */
export function destined(node: Node, to: SetFact): NodeChange {
  const { labels = {} } = node.metadata;
  if (labels[LABEL_SELECTED] === undefined || isNotedFor(node, to)) return {};
  if (isUpdated(node)) return isForSet(node, to) ? {} : updatedAgain(to);
  const isBegun = labels[LABEL_UPDATE_RESULT] !== undefined || BEGUN.has(inPlaceReason(node) ?? '');
  return isBegun ? {} : updateFor(to);
}

const BEGUN: ReadonlySet<string> = new Set(['ReadyForUpdate', 'UpdateFailed']);
