import { ANNOTATION_REVISION, FINALIZER } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { eventOf, type Note } from '../flow/flow.ts';
import {
  addFinalizer,
  deleteObject,
  deleteOwned,
  type Expectations,
  mergeInto,
  mergeIntoSeen,
  mergeStatus,
  NotKept,
  patchObject,
  type Writable,
} from '../framework/writer.ts';
import { withFreeze } from '../model/freeze.ts';
import { adoptionBar, adoptionPatch, releasePatch } from '../model/ownership.ts';
import { openTargetOf, type Targets } from '../model/target.ts';
import { changeNode, whenCaughtUp } from '../nodes/write.ts';
import { isConflict, isForbidden, isInvalid } from '../runtime/client/api.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Events } from '../runtime/events/events.ts';
import { timestamp } from '../runtime/k8s/object.ts';
import { slowStart } from '../runtime/queue/batches.ts';
import { each, eachOf, letGo } from '../state/childwrites.ts';
import { createSet, scaled } from './creating.ts';
import { events as own } from './flow/reasons.ts';
import type { RefusedNodes } from './flow/rolloutnodes.ts';
import {
  type MachineDeploymentAction,
  type MachineDeploymentView,
  numbersOf,
  type Scaling,
  sizeAnnotations,
} from './flow/view.ts';

/** What effects need. */
export interface MachineDeploymentEffects {
  deploymentWrites: Writable<MachineDeployment>;
  setWrites: Writable<MachineSet>;
  machineWrites: Writable<Machine>;
  targets: Targets;
  refusedNodes: RefusedNodes;
  clock: Clock;
  events: Events;
}

/** Carries out one action; answers when the caches will show it. Throws the API's error when a write fails. */
export async function apply(
  effects: MachineDeploymentEffects,
  view: MachineDeploymentView,
  action: MachineDeploymentAction,
): Promise<Expectations> {
  const { deploymentWrites, setWrites } = effects;
  const { deployment } = view;
  switch (action.do) {
    case 'addFinalizer':
      return addFinalizer(deploymentWrites, deployment, FINALIZER);
    case 'removeFinalizer':
      return leave(effects, deployment);
    case 'recordRevision':
    case 'annotate':
    case 'takeVictims':
    case 'markSelf':
    case 'tellFreeze':
      return onSelf(effects, view, action);
    case 'mark':
    case 'markNodes':
    case 'patchMachines':
      return onMachines(effects, deployment, action);
    case 'rollBack':
      return rollBack(effects, deployment, action);
    case 'createSet':
      return createSet(effects, view, action.set);
    case 'patchSet':
      return each([action.set], (set) => mergeInto(setWrites, set, action.patch));
    case 'scale':
      return scaleEach(effects, deployment, action.scalings);
    case 'deleteSets':
      return each(action.sets, (set) => deleteSet(effects, deployment, set));
    case 'adopt':
      return adopt(effects, deployment, action.sets);
    case 'release':
      return each(action.sets, (set) => patchObject(setWrites, set, releasePatch(deployment, set)));
  }
}

const leave = ({ deploymentWrites, setWrites }: MachineDeploymentEffects, owner: MachineDeployment) =>
  letGo({ owner, ownerWrites: deploymentWrites, childWrites: setWrites }, owner.spec.selector);

async function adopt(
  { deploymentWrites, setWrites }: MachineDeploymentEffects,
  deployment: MachineDeployment,
  sets: readonly MachineSet[],
): Promise<Expectations> {
  const adoptOne = (set: MachineSet) =>
    patchObject(setWrites, set, adoptionPatch(deployment, 'MachineDeployment', set));
  return (await adoptionBar(deploymentWrites, deployment)) ?? each(sets, adoptOne);
}

const deleteSet = ({ setWrites }: MachineDeploymentEffects, deployment: MachineDeployment, set: MachineSet) =>
  deployment.metadata.deletionTimestamp ? deleteOwned(setWrites, deployment, set) : deleteObject(setWrites, set);

type OnSelf = Extract<
  MachineDeploymentAction,
  { do: 'recordRevision' | 'annotate' | 'takeVictims' | 'markSelf' | 'tellFreeze' }
>;

function onSelf(
  { deploymentWrites }: MachineDeploymentEffects,
  { deployment, now }: MachineDeploymentView,
  action: OnSelf,
): Promise<Expectations> {
  if (action.do === 'tellFreeze') {
    const times = { lastUpdateTime: timestamp(now), lastTransitionTime: timestamp(now) };
    const conditions = withFreeze(deployment.status?.conditions, action.freeze, times);
    return mergeStatus(deploymentWrites, deployment, { conditions });
  }
  const metadata = selfMetadata(action);
  // A scaler may have named more machines since the list was read, and a freeze have ended (hack/decisions/0051 U22, S39).
  if (action.do === 'annotate' || action.do === 'markSelf')
    return mergeIntoSeen(deploymentWrites, deployment, { metadata });
  if (action.do === 'takeVictims')
    return mergeIntoSeen(deploymentWrites, deployment, { metadata, spec: { deleteMachines: null } });
  return mergeInto(deploymentWrites, deployment, { metadata });
}

function selfMetadata(action: Exclude<OnSelf, { do: 'tellFreeze' }>): object {
  if (action.do === 'markSelf') return action.metadata;
  if (action.do === 'recordRevision') return { annotations: { [ANNOTATION_REVISION]: action.revision } };
  return { annotations: action.annotations };
}

type OnMachines = Extract<MachineDeploymentAction, { do: 'mark' | 'markNodes' | 'patchMachines' }>;

function onMachines(
  effects: MachineDeploymentEffects,
  deployment: MachineDeployment,
  action: OnMachines,
): Promise<Expectations> {
  switch (action.do) {
    case 'mark':
      return eachOf(action.marks, machineOf, ({ machine, annotations }) =>
        mergeInto(effects.machineWrites, machine, { metadata: { annotations } }),
      );
    case 'patchMachines':
      return eachOf(action.patches, machineOf, ({ machine, metadata }) =>
        mergeInto(effects.machineWrites, machine, { metadata }),
      );
    case 'markNodes':
      return markNodes(effects, deployment, action);
  }
}

/**
 * A mark on a Node does not record its owner, which was not confirmed here (hack/decisions/0028 T22). A Node that was changed just now is
 * marked next time. Where a mark may fail, a refused Node is reported, and left alone for a while.
 */
async function markNodes(
  { targets, refusedNodes, clock, events }: MachineDeploymentEffects,
  deployment: MachineDeployment,
  { marks, mayFail }: Extract<MachineDeploymentAction, { do: 'markNodes' }>,
): Promise<Expectations> {
  const expectations: Array<Promise<void>> = [];
  await slowStart(marks, async ({ node, machine, change }) => {
    const target = openTargetOf(targets, machine);
    if (!target) return;
    try {
      expectations.push(...(await changeNode(target, node, change)));
    } catch (error) {
      if (isConflict(error)) return void expectations.push(...(await whenCaughtUp(target, node)));
      if (!mayFail || !(isForbidden(error) || isInvalid(error) || error instanceof NotKept)) throw error;
      refusedNodes.add(node.metadata.uid ?? '', clock.monotonic());
      events.record(deployment, eventOf(own, 'NodeUpdateFailed', `Node ${node.metadata.name}: ${error.message}`));
    }
  });
  return expectations;
}

/** Only the deployment that was seen is changed: a template that somebody just wrote is not overwritten. */
async function rollBack(
  { deploymentWrites, events }: MachineDeploymentEffects,
  deployment: MachineDeployment,
  { patch, note }: { patch: { metadata: object; spec: object }; note: Note },
): Promise<Expectations> {
  const expectations = await mergeIntoSeen(deploymentWrites, deployment, patch);
  events.record(deployment, note);
  return expectations;
}

const machineOf = ({ machine }: { machine: Machine }): Machine => machine;

const scaleEach = (
  effects: MachineDeploymentEffects,
  deployment: MachineDeployment,
  scalings: readonly Scaling[],
): Promise<Expectations> =>
  eachOf(
    scalings,
    ({ set }) => set,
    (scaling) => scaleSet(effects, deployment, scaling),
  );

async function scaleSet(
  { setWrites, events }: MachineDeploymentEffects,
  deployment: MachineDeployment,
  { set, replicas }: Scaling,
): Promise<Expectations> {
  const before = set.spec?.replicas ?? 0;
  const annotations = sizeAnnotations(numbersOf(deployment));
  const expectations = await mergeInto(setWrites, set, { metadata: { annotations }, spec: { replicas } });
  const way = replicas > before ? 'up' : 'down';
  if (replicas !== before) events.record(deployment, scaled(way, set.metadata.name, replicas));
  return expectations;
}
