import { FINALIZER } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { mergePatch } from '../../schemas/same.ts';
import { eventOf } from '../flow/flow.ts';
import {
  addFinalizer,
  deleteObject,
  deleteOwned,
  type Expectations,
  mergeInto,
  mergeIntoSeen,
  mergeStatus,
  patchObject,
  unlessGone,
  type Writable,
} from '../framework/writer.ts';
import { type Freeze, withFreeze } from '../model/freeze.ts';
import { adoptionBar, adoptionPatch, releasePatch, selectorText } from '../model/ownership.ts';
import { phaseOf } from '../model/phases.ts';
import { ApiError, isAlreadyExists } from '../runtime/client/api.ts';
import type { Events } from '../runtime/events/events.ts';
import { controllerOf, type KubeObject, keyOf, timestamp } from '../runtime/k8s/object.ts';
import type { Metrics } from '../runtime/observability/metrics.ts';
import { slowStart } from '../runtime/queue/batches.ts';
import type { Gates } from '../safety/outage/gate.ts';
import type { Births } from '../state/births.ts';
import { each, letGo } from '../state/childwrites.ts';
import { holdingOf } from './flow/overshoot.ts';
import { events as own } from './flow/reasons.ts';
import { releasesOf } from './flow/releases.ts';
import { newMachine, propagation } from './flow/template.ts';
import type { MachineSetAction, MachineSetView } from './flow/view.ts';

/** What effects need. */
export interface MachineSetEffects {
  setWrites: Writable<MachineSet>;
  machineWrites: Writable<Machine>;
  gates: Gates;
  events: Events;
  metrics: Metrics;
  births: Births;
}

/** A name that was to be given to a new Machine belongs to somebody else's. */
export class NameTaken extends Error {}

/**
 * Carries out one action; answers when the caches will show it. Creations end with the first batch in which one fails, for
 * what keeps one from being made keeps all; anything else is tried for each machine, and then throws a SomeRefused.
 */
export async function apply(
  effects: MachineSetEffects,
  view: MachineSetView,
  action: MachineSetAction,
): Promise<Expectations> {
  const { set } = view;
  const { setWrites, machineWrites } = effects;
  switch (action.do) {
    case 'addFinalizer':
      return addFinalizer(setWrites, set, FINALIZER);
    case 'removeFinalizer':
      return letGo({ owner: set, ownerWrites: setWrites, childWrites: machineWrites }, set.spec?.selector);
    case 'markSelf':
      // The label of a freeze that has ended meanwhile would be taken for somebody's own (hack/decisions/0051 S39).
      return mergeIntoSeen(setWrites, set, { metadata: action.metadata });
    case 'tellFreeze':
      return mergeStatus(setWrites, set, freezeStatus(view, action.freeze));
    case 'create':
      return made(effects, view, action.names);
    case 'delete':
      return each(action.machines, (machine) => deleteOne(effects, set, machine));
    case 'adopt':
      return (await adoptionBar(setWrites, set)) ?? each(action.machines, (one) => adoptOne(effects, set, one));
    case 'release':
      return each(action.machines, (one) => releaseOne(effects, set, one));
    case 'annotate':
      // What a person has just said of preservation is not overwritten (hack/decisions/0051 U22).
      return each(action.machines, (one) =>
        mergeIntoSeen(machineWrites, one, { metadata: { annotations: action.annotations } }),
      );
    case 'propagate':
      return each(action.machines, (one) => mergeInto(machineWrites, one, propagation(set, one) ?? {}));
  }
}

/** The count goes with the condition: one that led to a freeze, or that a person let pass, does not lead to another. */
function freezeStatus(view: MachineSetView, freeze: Freeze | undefined): object {
  const times = { lastTransitionTime: timestamp(view.now) };
  const machineSetCondition = withFreeze(view.set.status?.machineSetCondition, freeze, times);
  return { machineSetCondition, holding: holdingOf(view) };
}

async function made(effects: MachineSetEffects, view: MachineSetView, names: readonly string[]): Promise<Expectations> {
  const { births, machineWrites } = effects;
  const expectations: Array<Promise<void>> = [];
  await slowStart(names, async (name) => {
    const machine = await births.follow(view.set, name, () => createOne(effects, view, name));
    expectations.push(machineWrites.cache.whenSeen(machine));
  });
  return expectations;
}

async function createOne(
  { machineWrites: { api, resource }, events }: MachineSetEffects,
  view: MachineSetView,
  name: string,
): Promise<Machine> {
  const { set } = view;
  try {
    const made = await api.create(resource, newMachine(view, name));
    events.record(set, eventOf(own, 'SuccessfulCreate', `Created Machine: ${name}`));
    return made;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const found = await unlessGone(api.get(resource, { namespace: set.metadata.namespace, name })).catch(untold(name));
    if (!found) throw error;
    // Ours: an earlier pass made it and its answer was lost, or its cache entry is still to come.
    if (controllerOf(found)?.uid === set.metadata.uid) return found;
    throw new NameTaken(`Machine ${name} exists and is not of MachineSet ${keyOf(set)}`, { cause: error });
  }
}

/** It is there, whatever its look-up was answered with: a no to that is none to the creation. */
const untold =
  (name: string) =>
  (error: unknown): never => {
    if (!(error instanceof ApiError)) throw error;
    const { status, reason, retryAfterMs } = error;
    const message = `Machine ${name} exists, and nobody can tell whose it is: ${error.message}`;
    throw new ApiError(message, { status, reason, retryAfterMs, mayHaveActed: true, cause: error });
  };

async function adoptOne(
  { machineWrites, events }: MachineSetEffects,
  set: MachineSet,
  machine: Machine,
): Promise<Expectations> {
  const expectations = await patchObject(machineWrites, machine, adoptionPatch(set, 'MachineSet', machine));
  events.record(set, eventOf(own, 'AdoptedMachine', `Adopted machine: ${machine.metadata.name}`));
  return expectations;
}

/** Writes how many were let go over what was counted before that was tried. */
export async function rememberReleases(
  { setWrites }: Pick<MachineSetEffects, 'setWrites'>,
  view: MachineSetView,
): Promise<Expectations> {
  const { uid } = view.set.metadata;
  const live = await unlessGone(setWrites.api.get(setWrites.resource, view.set.metadata));
  if (!live || live.metadata.uid !== uid) return [];
  const releases = releasesOf(view, timestamp(view.now)) ?? null;
  const change = mergePatch({ releases: live.status?.releases ?? null }, { releases });
  return change ? mergeStatus(setWrites, live, change) : [];
}

/** An event on both: a user who changed the labels looks at the machine (hack/spec/cluster-api.md F2 11). */
async function releaseOne(
  { machineWrites, events }: MachineSetEffects,
  set: MachineSet,
  machine: Machine,
): Promise<Expectations> {
  const expectations = await patchObject(machineWrites, machine, releasePatch(set, machine));
  const { name } = machine.metadata;
  events.record(
    set,
    eventOf(own, 'ReleasedMachine', `Released machine: ${name}: its labels do not match the selector`),
  );
  const lost = `Its labels no longer match the selector of machine set ${set.metadata.name}: it belongs to nobody`;
  events.record(machine, eventOf(own, 'ReleasedMachine', lost));
  return expectations;
}

/**
 * The set's machines by UID, of which only the metadata comes, as the API server has them now: the list is asked for without a version. That
 * of the set would do where versions of two resources may be compared, which is promised from Kubernetes 1.35 on (KEP-5504), and would spare
 * little: servers answer such a list from memory, too, once their store has told them how far it is (KEP-2340).
 */
export async function listedOf(
  { machineWrites: { api, resource } }: Pick<MachineSetEffects, 'machineWrites'>,
  { metadata: { namespace, uid }, spec }: MachineSet,
): Promise<ReadonlyMap<string, KubeObject>> {
  const labelSelector = selectorText(spec?.selector);
  const where = { ...(namespace !== undefined && { namespace }), ...(labelSelector && { labelSelector }) };
  const isOwn = (machine: KubeObject) => controllerOf(machine)?.uid === uid;
  const keep = (machine: Machine): Machine => ({
    metadata: isOwn(machine) ? marksOf(machine) : nameOf(machine),
    spec: {},
  });
  const { items } = await api.list(resource, { ...where, metadataOnly: true, keep });
  return new Map(items.filter(isOwn).map(({ metadata }) => [metadata.uid ?? '', { metadata }]));
}

/** No mark of a scaler is longer, in characters. */
const MOST_MARK = 256;

/** The metadata without long annotations: many sets ask at once, and a class that is noted on each machine may be large (hack/decisions/0028 T77). */
function marksOf({ metadata }: Machine): Machine['metadata'] {
  const marks = Object.entries(metadata.annotations ?? {}).filter(([, value]) => value.length <= MOST_MARK);
  return { ...metadata, annotations: Object.fromEntries(marks) };
}

/** Of another set's machine, which the selector may take in as well. */
const nameOf = ({ metadata: { name, uid } }: Machine): Machine['metadata'] => ({ name, uid });

/** So many names of a set are asked for in one look, which holds a worker. */
const MOST_ASKED = 20;

/**
 * Whether machines of these names are there, or may be, that the set made and the cache does not show: the API server itself is asked. A
 * name that is not there, and not being made, is forgotten.
 */
export async function misses(
  {
    machineWrites: { api, resource, cache },
    births,
  }: Pick<MachineSetEffects, 'machineWrites'> & { births: Pick<Births, 'isOpen'> },
  set: MachineSet,
  unseen: Set<string>,
): Promise<boolean> {
  const { namespace, uid } = set.metadata;
  for (const name of unseen) if (cache.get(`${namespace}/${name}`)) unseen.delete(name);
  const asked = [...unseen].slice(0, MOST_ASKED);
  const more = unseen.size > asked.length;
  for (const name of asked) {
    const found = await unlessGone(api.get(resource, { namespace, name }));
    if (found && controllerOf(found)?.uid === uid) return true;
    if (!births.isOpen(set, name)) unseen.delete(name);
  }
  return more;
}

/** An outage may come while a batch is under way. */
async function deleteOne(
  { machineWrites, gates, events, metrics }: MachineSetEffects,
  set: MachineSet,
  machine: Machine,
): Promise<Expectations> {
  if (gates.of(set).shut) return [];
  const expectations = set.metadata.deletionTimestamp
    ? await deleteOwned(machineWrites, set, machine)
    : await deleteObject(machineWrites, machine);
  if (hasGoneIll(machine)) metrics.count('mcm_machine_stale_machines_total');
  const note = `Deleted machine: ${machine.metadata.name}`;
  events.record(set, eventOf(own, 'SuccessfulDelete', note));
  return expectations;
}

/** It ran, and its health was given up: one that failed in its creation was never of use (hack/spec/mcm.md 5.4). */
const hasGoneIll = ({ status }: Machine): boolean =>
  phaseOf({ status }) === 'Failed' && status?.lastOperation?.type === 'HealthCheck';
