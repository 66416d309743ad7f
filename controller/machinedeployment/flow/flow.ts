import { ANNOTATION_REVISION, FINALIZER, LABEL_SCALE_UP_DISABLED } from '../../../schemas/keys.ts';
import type { MachineDeployment } from '../../../schemas/machinedeployment.ts';
import { strategyFault } from '../../../schemas/rules/strategy.ts';
import { act, type Decision, decide, fail, type Outcome, pass, type Steps, wait } from '../../flow/flow.ts';
import { isWilling } from '../../flow/refusals.ts';
import { childrenLeft } from '../../model/machine.ts';
import { orphansChildren, selectorValid } from '../../model/ownership.ts';
import { clusterReachableOrGone, unpausedIn } from '../../model/readiness.ts';
import { templateFault } from '../../model/template.ts';
import type { KubeObject } from '../../runtime/k8s/object.ts';
import { hasFinalizer } from '../../runtime/k8s/object.ts';
import { gated } from '../../safety/outage/gate.ts';
import { freezeSynced, isFrozenByState, unlessFrozen } from './freeze.ts';
import { machinesTransferred } from './inplacetransfer.ts';
import { rolledInPlace } from './inplaceupdate.ts';
import { capacityAnnotated } from './nodecapacity.ts';
import { progressText } from './progress.ts';
import type { Reason } from './reasons.ts';
import { newSet, newSetOf, rolledBack, settingsPatches, syncPatch } from './revision.ts';
import { emptyOldSets, newSetReplicas, shrinkOldSets } from './rollout.ts';
import { isComplete, oldNodesTainted, scaleDownEnabled } from './rolloutnodes.ts';
import { victimsMarked } from './scaledown.ts';
import { isScalingEvent, planScaling, withOldLimits } from './scaling.ts';
import {
  birthsOf,
  gating,
  isEmpty,
  type MachineDeploymentAction,
  type MachineDeploymentView,
  numbersOf,
  type Scaling,
  type SetFact,
  type Sorted,
  sizeAnnotations,
  specReplicas,
  sum,
} from './view.ts';

type Answer = Outcome<MachineDeploymentAction, Reason>;

/** How long machines are waited for that were asked for and that no cache shows, milliseconds: nothing tells when none comes. */
const BIRTH_MS = 1_000;

/** What a living MachineDeployment goes through, in this order. */
export const liveSteps: Steps<MachineDeploymentView, MachineDeploymentAction, Reason> = {
  Paused: ({ deployment, cluster }) => unpausedIn(deployment, cluster),
  FinalizerAdded: ({ deployment }) =>
    hasFinalizer(deployment, FINALIZER) ? pass : act('AddFinalizer', { do: 'addFinalizer' }),
  SelectorValid: ({ deployment }) => selectorValid(deployment.spec),
  FreezeSynced: freezeSynced,
  ChildrenReleased: ({ strays }) =>
    strays.length > 0 ? act('ReleaseChildren', { do: 'release', sets: strays }) : pass,
  ChildrenAdopted: ({ orphans }) => (orphans.length > 0 ? act('AdoptChildren', { do: 'adopt', sets: orphans }) : pass),
  ClusterReachable: ({ cluster, now }) => clusterReachableOrGone(cluster, now),
  VictimsMarked: victimsMarked,
  RolledBack: rolledBack,
  TemplatePropagated: templatePropagated,
  NewMachineSetFound: (view) => shrunkOr(view, unlessFrozen(view, newMachineSetFound(view))),
  NewMachineSetSynced: (view) => sorted(view, newMachineSetSynced),
  Scaled: (view) => (view.deployment.spec.paused ? atRest(view, scaled) : sorted(view, scaled)),
  RolloutNotPaused: rolloutNotPaused,
  OldNodesTainted: (view) => (isFrozenByState(view) ? pass : sorted(view, oldNodesTainted)),
  MachinesTransferred: (view) => sorted(view, machinesTransferred),
  RolloutComplete: (view) => unlessFrozen(view, sorted(view, rolloutComplete)),
  // Until all is well there may be something to go back to.
  HistoryCleanedUp: (view) =>
    sorted(view, (all) => (isComplete(all) ? historyCleanedUp(all.deployment, all.oldSets) : pass)),
  ScaleDownEnabled: (view) => sorted(view, scaleDownEnabled),
  CapacityAnnotated: capacityAnnotated,
};

/** What a deleted MachineDeployment goes through: there may be no garbage collector, so it takes its sets along itself. */
export const deletionSteps: Steps<MachineDeploymentView, MachineDeploymentAction, Reason> = {
  Paused: ({ deployment, cluster }) => unpausedIn(deployment, cluster),
  FinalizerAdded: ({ deployment }) => (hasFinalizer(deployment, FINALIZER) ? pass : wait('FinalizerMissing', Infinity)),
  ChildrenOrphaned: ({ deployment }) =>
    orphansChildren(deployment) ? act('OrphanChildren', { do: 'removeFinalizer' }) : pass,
  ChildrenDeleted: childrenDeleted,
  FinalizerRemoved: () => act('RemoveFinalizer', { do: 'removeFinalizer' }),
};

/** The same without objects of which the API server has just refused a change: they hold up nothing else. */
const amongOthers: typeof liveSteps = Object.fromEntries(
  Object.entries(liveSteps).map(([name, step]) => [
    name,
    (view: MachineDeploymentView) => amongWilling(view, step(view)),
  ]),
);

/** What to do for the MachineDeployment now. */
export const plan = (view: MachineDeploymentView): Decision<MachineDeploymentAction> =>
  gated(decide(view.deployment.metadata.deletionTimestamp ? deletionSteps : amongOthers, view), view, gating);

/** Judges a step that needs the new set; a paused deployment without one has nothing to judge. */
function sorted(view: MachineDeploymentView, step: (view: Sorted) => Answer): Answer {
  const found = newSetOf(view.deployment, view.sets);
  if (!found) return pass;
  const oldSets = view.sets.filter((fact) => fact !== found);
  return step({ ...view, numbers: numbersOf(view.deployment), newSet: found, oldSets });
}

/** Judges a step for which the newest set stands in where there is none of the present template, and none is to be made (hack/spec/mcm.md 4.6). */
function atRest(view: MachineDeploymentView, step: (view: Sorted) => Answer): Answer {
  const found = newSetOf(view.deployment, view.sets) ?? view.sets.at(-1);
  if (!found) return pass;
  const oldSets = view.sets.filter((fact) => fact !== found);
  return step({ ...view, numbers: numbersOf(view.deployment), newSet: found, oldSets });
}

/** Where no set of the present template can be made now, others are scaled down all the same (hack/decisions/0000 3). */
function shrunkOr(view: MachineDeploymentView, outcome: Answer): Answer {
  if (outcome.kind !== 'wait' && outcome.kind !== 'fail') return outcome;
  const scaling = atRest(view, scaled);
  return isShrinking(scaling) ? scaling : outcome;
}

const isShrinking = (answer: Answer): boolean =>
  answer.kind === 'act' &&
  answer.action.do === 'scale' &&
  answer.reason === 'Scale' &&
  !answer.action.scalings.some(grows);

/** A paused deployment keeps no more history than another (hack/spec/mcm.md 4.6). */
function rolloutNotPaused({ deployment, sets }: MachineDeploymentView): Answer {
  if (!deployment.spec.paused) return pass;
  const present = newSetOf(deployment, sets);
  const tidying = deployment.spec.rollbackTo
    ? pass
    : historyCleanedUp(
        deployment,
        sets.filter((fact) => fact !== present),
      );
  return tidying.kind === 'act' ? tidying : wait('DeploymentPaused', Infinity);
}

/** Machines of old templates learn of settings, too, before anything is done to them (hack/decisions/0052). */
function templatePropagated(view: MachineDeploymentView): Answer {
  const { deployment, sets } = view;
  const patches = templateFault(deployment) === undefined ? settingsPatches(deployment, sets) : [];
  const first = patches.find(({ set }) => isWilling(view, 'patchSet', set));
  return first ? act('SyncMachineSet', { do: 'patchSet', ...first }) : pass;
}

/** There is a set of the present template. A Recreate waits with it until nothing of the old ones is left. */
function newMachineSetFound(view: MachineDeploymentView): Answer {
  const { deployment, sets } = view;
  if (deployment.spec.paused || newSetOf(deployment, sets)) return pass;
  const fault = templateFault(deployment);
  if (fault !== undefined) return fail('SpecInvalid', fault);
  const numbers = numbersOf(deployment);
  if (strategyOf(deployment) === 'Recreate' && sets.some(hasMachines)) return cleared(view, sets);
  const initial = newSetReplicas(numbers, 0, sets);
  return act('CreateMachineSet', { do: 'createSet', set: newSet(deployment, sets, { ...numbers, initial }) });
}

function newMachineSetSynced({ deployment, newSet: fact, oldSets }: Sorted): Answer {
  const patch = syncPatch(deployment, fact, oldSets);
  if (patch) return act('SyncMachineSet', { do: 'patchSet', set: fact.set, patch });
  const stopped = fact.set.metadata.labels?.[LABEL_SCALE_UP_DISABLED] !== undefined;
  if (stopped) return act('EnableScaleUp', { do: 'patchSet', set: fact.set, patch: OPENED });
  const revision = fact.set.metadata.annotations?.[ANNOTATION_REVISION] ?? '1';
  if (deployment.metadata.annotations?.[ANNOTATION_REVISION] === revision) return pass;
  return act('RecordRevision', { do: 'recordRevision', revision });
}

/** A set that an update in place had left behind makes machines again (mends hack/spec/mcm.md 2.3: the label was never taken off). */
const OPENED = { metadata: { labels: { [LABEL_SCALE_UP_DISABLED]: null } } };

/** What a frozen deployment may not grow by is asked for again by the rollout, which says that it waits. */
function scaled(view: Sorted): Answer {
  if (!isScalingEvent(view)) return limitsTold(view);
  const scalings = planScaling(view).filter((scaling) => isChange(view, scaling));
  if (scalings.length === 0) return pass;
  return scalings.some(grows) && isFrozenByState(view) ? pass : act('Scale', { do: 'scale', scalings });
}

/** A set that may not be scaled leaves the others as they are when they have followed. */
const isChange = ({ numbers }: Sorted, { set, replicas }: Scaling): boolean =>
  replicas !== (set.spec?.replicas ?? 0) ||
  Object.entries(sizeAnnotations(numbers)).some(([key, value]) => set.metadata.annotations?.[key] !== value);

const grows = ({ set, replicas }: Scaling): boolean => replicas > (set.spec?.replicas ?? 0);

/** Sets keep within what the strategy allows now, although nobody changed the size. */
function limitsTold(view: Sorted): Answer {
  const scalings = withOldLimits(view);
  return scalings.length > 0 ? act('SyncMachineSet', { do: 'scale', scalings }) : pass;
}

function rolloutComplete(view: Sorted): Answer {
  const fault = view.oldSets.some(hasMachines) ? strategyFault(view.deployment.spec.strategy) : undefined;
  if (fault !== undefined) return fail('SpecInvalid', fault);
  if (strategyOf(view.deployment) === 'InPlaceUpdate') return rolledInPlace(view);
  if (strategyOf(view.deployment) === 'Recreate' && view.oldSets.some(hasMachines)) return cleared(view, view.oldSets);
  const current = specReplicas(view.newSet);
  const wanted = newSetReplicas(view.numbers, current, [view.newSet, ...view.oldSets]);
  if (wanted !== current) return scale('ScaleUpNewMachineSet', [{ set: view.newSet.set, replicas: wanted }]);
  const shrinking = shrinkOldSets(view);
  if (shrinking.length > 0) return scale('ScaleDownOldMachineSets', shrinking);
  const isDone = sum(view.oldSets, specReplicas) === 0 && wanted >= view.numbers.replicas;
  return isDone ? pass : wait('RolloutInProgress', Infinity, progressText(view));
}

/** Old sets are scaled to 0 and waited for, to the last machine, and to the last that was asked for and may still come. */
function cleared(view: MachineDeploymentView, sets: readonly SetFact[]): Answer {
  const shrinking = emptyOldSets(sets);
  if (shrinking.length > 0) return scale('ScaleDownOldMachineSets', shrinking);
  return wait('OldMachinesTerminating', sum(sets, birthsOf) > 0 ? BIRTH_MS : Infinity, progressText(view));
}

/** Old sets beyond the history limit go, oldest first, once they are empty (hack/spec/mcm.md 4.7, clean-up). */
function historyCleanedUp(deployment: MachineDeployment, oldSets: readonly SetFact[]): Answer {
  const limit = deployment.spec.revisionHistoryLimit;
  if (limit === undefined || limit === null) return pass;
  const standing = oldSets.filter(({ set }) => !set.metadata.deletionTimestamp);
  const surplus = standing.slice(0, Math.max(0, standing.length - limit)).filter((fact) => !hasMachines(fact));
  return surplus.length > 0
    ? act('DeleteOldMachineSets', { do: 'deleteSets', sets: surplus.map(({ set }) => set) })
    : pass;
}

function childrenDeleted(view: MachineDeploymentView): Answer {
  const owned = [...view.sets.map(({ set }) => set), ...view.strays];
  const staying = owned.filter((set) => !set.metadata.deletionTimestamp && isWilling(view, 'deleteSets', set));
  if (staying.length > 0) return act('DeleteMachineSets', { do: 'deleteSets', sets: staying });
  return childrenLeft(owned, { one: 'set', terminating: 'MachineSetsTerminating' });
}

const scale = (reason: Reason, scalings: readonly Scaling[]): Answer => act(reason, { do: 'scale', scalings });
const hasMachines = (fact: SetFact): boolean => !isEmpty(fact) || specReplicas(fact) > 0;
const strategyOf = ({ spec }: MachineDeployment): string => spec.strategy?.type ?? 'RollingUpdate';

type Refused = Pick<MachineDeploymentView, 'refused'>;

/** What a step wants, without those of which something was refused a moment ago; one that is left with nothing is passed over. */
export function amongWilling(view: Refused, outcome: Answer): Answer {
  if (outcome.kind !== 'act' || view.refused.size === 0) return outcome;
  const action = without(view, outcome.action);
  return action ? { ...outcome, action } : pass;
}

function without(view: Refused, action: MachineDeploymentAction): MachineDeploymentAction | undefined {
  const willing = <T>(items: readonly T[], objectOf: (item: T) => KubeObject) =>
    items.filter((item) => isWilling(view, action.do, objectOf(item)));
  const unlessNone = (items: readonly unknown[], rest: MachineDeploymentAction) =>
    items.length > 0 ? rest : undefined;
  switch (action.do) {
    case 'patchSet':
      return isWilling(view, action.do, action.set) ? action : undefined;
    case 'scale': {
      const scalings = willing(action.scalings, ({ set }) => set);
      return unlessNone(scalings, { ...action, scalings });
    }
    case 'adopt':
    case 'release':
    case 'deleteSets': {
      const sets = willing(action.sets, (set) => set);
      return unlessNone(sets, { ...action, sets });
    }
    case 'mark': {
      const marks = willing(action.marks, ({ machine }) => machine);
      return unlessNone(marks, { ...action, marks });
    }
    case 'patchMachines': {
      const patches = willing(action.patches, ({ machine }) => machine);
      return unlessNone(patches, { ...action, patches });
    }
    default:
      return action;
  }
}
