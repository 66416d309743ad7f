import { ANNOTATION_MAX, FINALIZER, LABEL_SCALE_UP_DISABLED } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import type { MachineSet } from '../../../schemas/machineset.ts';
import { act, type Decision, decide, fail, type Outcome, pass, type Steps, wait } from '../../flow/flow.ts';
import { isWilling } from '../../flow/refusals.ts';
import { freezeStateOf, isFrozen } from '../../model/freeze.ts';
import { childrenLeft, isLive, mayHoldVm, replicasOf } from '../../model/machine.ts';
import { orphansChildren, selectorValid } from '../../model/ownership.ts';
import { clusterReachable, clusterReachableOrGone, unpausedIn } from '../../model/readiness.ts';
import { templateFault } from '../../model/template.ts';
import { hasFinalizer } from '../../runtime/k8s/object.ts';
import { gated } from '../../safety/outage/gate.ts';
import { backOffLeft, backOffMessage } from './backoff.ts';
import { freezeSynced } from './overshoot.ts';
import { autoPreserved } from './preservation.ts';
import type { Reason } from './reasons.ts';
import { heldBack, heldBackText, released } from './releases.ts';
import { unseenOf, victims } from './scaledown.ts';
import { machineNames, propagation } from './template.ts';
import { effects, type MachineSetAction, type MachineSetView } from './view.ts';

type Answer = Outcome<MachineSetAction, Reason>;

/** Most machines that one pass creates or deletes (hack/spec/mcm.md 5.4). */
const BATCH = 100;

/** How long a set waits for machines of others that no cache shows, milliseconds. */
const BIRTH_MS = 1_000;

/** How often a set looks whether machines and sets are fewer, milliseconds. */
const CROWD_MS = 60_000;

/** How long a set waits for a cache that does not show its machines, milliseconds. */
export const BLIND_MS = 1_000;

/** What a living MachineSet goes through, in this order. */
export const liveSteps: Steps<MachineSetView, MachineSetAction, Reason> = {
  Paused: ({ set, cluster }) => unpausedIn(set, cluster),
  FinalizerAdded: ({ set }) => (hasFinalizer(set, FINALIZER) ? pass : act('AddFinalizer', { do: 'addFinalizer' })),
  SelectorValid: ({ set }) => selectorValid(set.spec ?? {}),
  FreezeSynced: freezeSynced,
  ChildrenReleased: (view) => onWilling(view, 'release', released(view)),
  ChildrenAdopted: (view) => onWilling(view, 'adopt', view.orphans),
  ClusterReachable: ({ cluster, now }) => clusterReachableOrGone(cluster, now),
  TemplatePropagated: templatePropagated,
  AutoPreserved: autoPreserved,
  ScaledDown: scaledDown,
  SpecValid: specValid,
  ScaledUp: (view) =>
    clusterReachable(view.cluster).kind === 'pass' ? scaledUp(view) : clusterReachable(view.cluster),
};

/** What a deleted MachineSet goes through: there may be no garbage collector, so it takes its machines along itself. */
export const deletionSteps: Steps<MachineSetView, MachineSetAction, Reason> = {
  Paused: ({ set, cluster }) => unpausedIn(set, cluster),
  FinalizerAdded: ({ set }) => (hasFinalizer(set, FINALIZER) ? pass : wait('FinalizerMissing', Infinity)),
  ChildrenOrphaned: ({ set }) => (orphansChildren(set) ? act('OrphanChildren', { do: 'removeFinalizer' }) : pass),
  ChildrenDeleted: childrenDeleted,
  FinalizerRemoved: () => act('RemoveFinalizer', { do: 'removeFinalizer' }),
};

/** What to do for the MachineSet now. */
export function plan(view: MachineSetView): Decision<MachineSetAction> {
  const decision = gated(decide(view.set.metadata.deletionTimestamp ? deletionSteps : liveSteps, view), view, {
    effects,
  });
  return (decision.held !== undefined && decision.step === 'ScaledDown' && making(view)) || decision;
}

/** Machines that may not be taken away keep none from being made. */
function making(view: MachineSetView): Decision<MachineSetAction> | undefined {
  const decision = gated(decide({ SpecValid: specValid, ScaledUp: scaledUp }, view), view, { effects });
  return decision.outcome.kind === 'act' ? decision : undefined;
}

function templatePropagated(view: MachineSetView): Answer {
  return onWilling(
    view,
    'propagate',
    view.machines.filter((machine) => propagation(view.set, machine) !== undefined),
  );
}

/** Why something is done to machines. */
const REASONS = {
  release: 'ReleaseChildren',
  adopt: 'AdoptChildren',
  propagate: 'PropagateTemplate',
  delete: 'DeleteMachines',
} as const;

/** Applies the action to the machines for which it was not refused just now, as many as one reconcile handles. */
function onWilling(view: MachineSetView, what: keyof typeof REASONS, machines: readonly Machine[]): Answer {
  const willing = machines.filter((machine) => isWilling(view, what, machine)).slice(0, BATCH);
  return willing.length > 0 ? act(REASONS[what], { do: what, machines: willing }) : pass;
}

/** Machines that are to be deleted: all that stay of a set that is deleted itself. */
export const unwanted = (view: MachineSetView): Machine[] =>
  view.set.metadata.deletionTimestamp
    ? [...view.machines, ...view.strays].filter(({ metadata }) => !metadata.deletionTimestamp)
    : victims(view);

/** No machine is chosen for deletion until the cache shows all of them. */
function scaledDown(view: MachineSetView): Answer {
  const unseen = unseenOf(view);
  if (unseen > 0) return wait('WaitingForCache', BLIND_MS, `machines that are there and not seen yet: ${unseen}`);
  return onWilling(view, 'delete', victims(view));
}

/**
 * Machines that hold a VM, or may, count towards the ceiling, whether they are leaving or not, and those of all sets of a
 * deployment: quota and addresses are what runs out (hack/decisions/0000 3, hack/spec/mcm.md 13.12). The count is by owner reference, so a machine
 * with foreign labels counts as well.
 */
function scaledUp(view: MachineSetView): Answer {
  const lacking = replicasOf(view.set) - view.machines.filter(isLive).length;
  if (lacking <= 0) return pass;
  // Those whose adoption was refused just now, and is to be retried, exist already.
  const known = lacking - view.orphans.length;
  const missing = known - heldBack(view).length;
  if (known > 0 && missing <= 0) return unreplaced(view);
  if (missing <= 0) return wait('WaitingForAdoption', Infinity, `machines still to be adopted: ${view.orphans.length}`);
  if (isFrozenHere(view)) return wait('Frozen', Infinity, `frozen; machines that would be made: ${missing}`);
  if (view.set.metadata.labels?.[LABEL_SCALE_UP_DISABLED] !== undefined)
    return wait('ScaleUpDisabled', Infinity, 'its machines are updated in place: no machine is created');
  const waitMs = backOffLeft(view);
  if (waitMs > 0) return wait('BackOff', waitMs, backOffMessage(view, waitMs));
  const holding = [...view.machines, ...view.strays, ...view.orphans].filter(mayHoldVm).length;
  const count = Math.min(missing, ceilingOf(view.set) - holding - view.takenBySiblings, BATCH);
  if (count <= 0) return wait('WaitingForVMsToGo', againMs(view), heldText(holding, view.takenBySiblings));
  return act('CreateMachines', { do: 'create', names: machineNames(view, count) });
}

function unreplaced(view: MachineSetView): Answer {
  const limit = heldBackText(view);
  if (limit !== undefined) return wait('ReleaseLimitExceeded', Infinity, limit);
  return wait('WaitingForRelease', Infinity, `machines still to be let go: ${heldBack(view).length}`);
}

/** Nothing tells of a machine that was asked for and does not come. */
const againMs = ({ siblingBirths, takenBySiblings }: MachineSetView): number => {
  if (takenBySiblings === Infinity) return CROWD_MS;
  return siblingBirths > 0 ? BIRTH_MS : Infinity;
};

function heldText(own: number, others: number): string {
  if (others === 0) return `machines that hold, or may hold, a VM: ${own}`;
  if (others === Infinity) return CROWDED;
  return `machines that hold, or may hold, a VM: ${own}, and of other sets of the deployment, with those that are to be made: ${others}`;
}

const CROWDED =
  'the machines that nobody owns, and the other sets of the deployment that may take them in, are too many to find out how many machines there may be: none is made before they are fewer';

/** A frozen deployment holds all of its sets. */
const isFrozenHere = ({ set, deploymentFrozen }: MachineSetView): boolean =>
  deploymentFrozen || isFrozen(freezeStateOf(set, set.status?.machineSetCondition));

/** Nothing is made from a template that cannot come true; machines that are there stay. */
function specValid({ set }: MachineSetView): Answer {
  const fault = templateFault(set);
  return fault === undefined ? pass : fail('SpecInvalid', fault);
}

function childrenDeleted(view: MachineSetView): Answer {
  const owned = [...view.machines, ...view.strays];
  const deleting = onWilling(view, 'delete', unwanted(view));
  if (deleting.kind !== 'pass') return deleting;
  const left = childrenLeft(owned, { one: 'machine', terminating: 'MachinesTerminating' });
  if (left.kind !== 'pass' || view.births === 0) return left;
  return wait('MachinesTerminating', BIRTH_MS, `machines that were asked for and may still come: ${view.births}`);
}

/** The deployment's replicas + maxSurge; a set of its own may have one more, so that a replacement need not wait. */
function ceilingOf(set: MachineSet): number {
  const replicas = replicasOf(set);
  const most = Number.parseInt(set.metadata.annotations?.[ANNOTATION_MAX] ?? '', 10);
  return Number.isNaN(most) ? replicas + 1 : Math.max(most, replicas);
}
