import {
  ANNOTATION_APPLIED_SPEC,
  ANNOTATION_PRESERVE,
  ANNOTATION_PRIORITY,
  ANNOTATION_UPDATE_UNFINISHED,
  FINALIZER,
  LABEL_NODE,
} from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import { applyDrain } from '../drain/evictions.ts';
import type { Drains } from '../drain/tracker.ts';
import {
  addFinalizer,
  deleteObject,
  type Expectations,
  mergeInto,
  mergeIntoSeen,
  mergeStatus,
  removeFinalizer,
  unlessGone,
  type Writable,
} from '../framework/writer.ts';
import { classKeyOf } from '../model/class.ts';
import { expectation } from '../model/expectedvm.ts';
import { openTargetOf, type Targets } from '../model/target.ts';
import { type NodeChange, staysForMcm } from '../nodes/change.ts';
import { recordingOwner } from '../nodes/owner.ts';
import { changeNode, releaseNode, removeNode } from '../nodes/write.ts';
import { nodes } from '../runtime/k8s/core.ts';
import { volumeAttachments } from '../runtime/k8s/workload.ts';
import { slowStart } from '../runtime/queue/batches.ts';
import type { MachineTokens } from './bootstrap/tokens.ts';
import type { InFlightCalls } from './calls/inflight.ts';
import type { DriverCalls } from './calls/requests.ts';
import type { Updates } from './calls/updates.ts';
import { isNodeOf, isOwnNode } from './flow/nodeidentity.ts';
import { staysBehind } from './flow/retention.ts';
import type { MachineAction, MachineView } from './flow/view.ts';
import { vmComesUntil } from './flow/vmabsence.ts';
import { type MachineSources, nodeFactsOf } from './observe.ts';

/** What effects need. */
export interface MachineEffects {
  machineWrites: Writable<Machine>;
  classWrites: Writable<MachineClass>;
  targets: Targets;
  calls: InFlightCalls;
  drains: Drains;
  updates: Updates;
  driverCalls: DriverCalls;
  tokens: MachineTokens;
  /** See `MachineSources`. */
  drivers: MachineSources['drivers'];
  namespace?: string | undefined;
}

/** Carries out one action; answers when the caches will show it. Throws the API's error when a write fails. */
export async function apply(effects: MachineEffects, view: MachineView, action: MachineAction): Promise<Expectations> {
  const { machine } = view;
  switch (action.do) {
    case 'addFinalizer':
      return addFinalizer(effects.machineWrites, machine, FINALIZER);
    case 'removeFinalizer':
      return release(effects, view);
    case 'recordVm':
      return recordVm(effects, machine, action);
    case 'changeNode':
      return changeNodeOf(effects, view, action.change);
    case 'annotate':
      return annotate(effects, machine, action);
    case 'recordDeletion':
      return mergeStatus(effects.machineWrites, machine, { deletion: action.deletion });
    case 'drain':
      applyDrain(effects.drains, machine.metadata.uid ?? '', action.action);
      return [];
    case 'deleteAttachments':
      return deleteAttachments(effects, machine, action.names);
    case 'deleteMachine':
      return deleteObject(effects.machineWrites, machine);
    case 'deleteNode':
    case 'releaseNode':
      return endNode(effects, view, action.do);
    case 'cancelCall':
      return cancelCall(effects, machine);
    case 'recordUpdate':
      return recordUpdate(effects, machine, action);
    case 'update':
      effects.driverCalls.update(view, action.spec);
      return [];
    case 'makeToken':
      return effects.tokens.make(machine);
    case 'call':
      effects.driverCalls.start(view, action.method);
      return [];
  }
}

function cancelCall({ calls, updates }: MachineEffects, { metadata: { uid = '' } }: Machine): Expectations {
  for (const called of [calls, updates]) called.cancel(uid);
  return [];
}

/** A wish that is taken off may just have become another one (hack/decisions/0051 U22). */
function annotate(
  { machineWrites }: MachineEffects,
  machine: Machine,
  { annotations, labels }: Extract<MachineAction, { do: 'annotate' }>,
): Promise<Expectations> {
  const takesOff = annotations?.[ANNOTATION_PRESERVE] === null;
  const merge = takesOff ? mergeIntoSeen : mergeInto;
  return merge(machineWrites, machine, { metadata: { annotations, labels } });
}

/** One write tells everybody which VM and which Node are the Machine's (hack/spec/mcm.md 6.4, step 4). */
function recordVm(
  { machineWrites, targets }: MachineEffects,
  machine: Machine,
  { providerID, nodeName, madeOf, confirmed }: Extract<MachineAction, { do: 'recordVm' }>,
): Promise<Expectations> {
  const annotations = {
    ...confirmed,
    ...(machine.metadata.annotations?.[ANNOTATION_PRIORITY] ? {} : { [ANNOTATION_PRIORITY]: '3' }),
    ...(madeOf === undefined ? {} : { [ANNOTATION_APPLIED_SPEC]: madeOf, [ANNOTATION_UPDATE_UNFINISHED]: null }),
  };
  const labels = openTargetOf(targets, machine) ? { [LABEL_NODE]: nodeName } : {};
  return mergeInto(machineWrites, machine, { metadata: { labels, annotations }, spec: { providerID } });
}

function changeNodeOf(
  { targets }: MachineEffects,
  { machine, node }: MachineView,
  change: NodeChange,
): Promise<Expectations> {
  const target = openTargetOf(targets, machine);
  if (!target || node.at !== 'present' || !node.ours) return Promise.resolve([]);
  return changeNode(target, node.object, recordingOwner(machine, node.object, change));
}

/** What is written makes what was done before old news. */
async function recordUpdate(
  { machineWrites, updates }: MachineEffects,
  machine: Machine,
  { spec, finished }: { spec: string; finished: boolean },
): Promise<Expectations> {
  const annotations = { [ANNOTATION_APPLIED_SPEC]: spec, [ANNOTATION_UPDATE_UNFINISHED]: finished ? null : 'true' };
  const expectations = await mergeInto(machineWrites, machine, { metadata: { annotations } });
  updates.recorded(machine.metadata.uid ?? '');
  return expectations;
}

/** Lets the Machine go, unless the target itself still has its Node: a cache may not know yet of one that came late. */
async function release(effects: MachineEffects, view: MachineView): Promise<Expectations> {
  const { machineWrites, targets, ...known } = effects;
  const { machine, node: fact } = view;
  const target = fact.at === 'none' ? undefined : openTargetOf(targets, machine);
  const name = machine.metadata.labels?.[LABEL_NODE];
  const node = target && name ? await unlessGone(target.api.get(nodes, { name })) : undefined;
  const sources = { ...known, machines: machineWrites.cache };
  const facts = target && node && nodeFactsOf(sources, view, { target, name: node.metadata.name });
  const isOurs = facts && isNodeOf(facts, node) && isOwnNode(facts, node);
  const leaves = node?.metadata.deletionTimestamp && !staysForMcm(node);
  const stays = staysBehind(view) || leaves || view.refused.has('NodeDeleted');
  if (isOurs && !stays) return removeNode(target, node, machine);
  // Once the caches show it, so that class and Secret are not let go with the machine.
  return (await noteVm(effects, view)) ?? removeFinalizer(machineWrites, machine, FINALIZER);
}

/** Class and Secrets stay as long as a VM may come, by which a sweep finds it. Undefined where that is said, or none comes. */
function noteVm({ classWrites, drivers }: MachineEffects, view: MachineView): Promise<Expectations> | undefined {
  const until = vmComesUntil(view);
  const object = until === undefined ? undefined : classWrites.cache.get(classKeyOf(view.machine));
  const isListed = object && drivers.get(object.provider ?? '')?.listMachines !== undefined;
  const change = isListed && until !== undefined ? expectation(object, until) : undefined;
  return object && change && mergeStatus(classWrites, object, change);
}

/** Deletes the Node that was judged to be the Machine's, or lets it go: another one may have its name by now (hack/spec/cluster-api.md A1.12 L5). */
function endNode(
  { targets }: MachineEffects,
  { machine, node }: MachineView,
  what: 'deleteNode' | 'releaseNode',
): Promise<Expectations> {
  const target = openTargetOf(targets, machine);
  const isOurs = target && node.at === 'present' && node.ours;
  if (!isOurs) return Promise.resolve([]);
  return what === 'deleteNode' ? removeNode(target, node.object, machine) : releaseNode(target, node.object);
}

/** Asks for the volumes to be detached whatever still uses them: the Node is about to go. */
async function deleteAttachments(
  { targets }: MachineEffects,
  machine: Machine,
  names: readonly string[],
): Promise<Expectations> {
  const target = openTargetOf(targets, machine);
  if (!target) return [];
  const { api, attachments: cache } = target;
  const found = names.map((name) => cache.get(name)).filter((one) => one !== undefined);
  const expectations: Array<Promise<void>> = [];
  await slowStart(found, async (one) => {
    expectations.push(...(await deleteObject({ api, resource: volumeAttachments, cache }, one)));
  });
  return expectations;
}
