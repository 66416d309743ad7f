import { ANNOTATION_APPLIED_SPEC, ANNOTATION_UPDATE_UNFINISHED } from '../../../schemas/keys.ts';
import type { LastOperation } from '../../../schemas/reported.ts';
import { isObject, isSame } from '../../../schemas/same.ts';
import { act, pass, type StepState } from '../../flow/flow.ts';
import { phaseOf } from '../../model/phases.ts';
import { canonical, recordIn } from '../../model/template.ts';
import { conditionOf } from '../../runtime/k8s/core.ts';
import type { Answer } from './drivercall.ts';
import type { MachineView, UpdateFact } from './view.ts';

const STEP = 'VMUpToDate';
/** How soon a Machine that waits for its turn is requeued: the one that was enqueued in its stead may want it no longer. */
const TURN_RECHECK_MS = 30_000;
/** An update that ends within this time is not told as one that goes on. */
const BRIEF_MS = 1_000;

/**
 * The VM has the hot fields of its class. What is about to be put on it is written down before the
 * call, so that neither a crash nor a class that is changed back leaves anything behind. The step only acts or passes: a
 * Machine is judged, whatever becomes of its update, and an unhealthy one is updated, too.
 */
export function vmUpToDate(view: MachineView): Answer {
  const { update } = view;
  if (!isDue(view) || isFailing(view)) return pass;
  if (update.done !== undefined && !isOnRecord(view, update.done))
    return act('RecordVMUpdate', { do: 'recordUpdate', spec: update.done, finished: true });
  if (update.inFlight || !update.slotFree) return pass;
  const traces = tracesOf(view);
  const begun = appliedSpec(view) === (isUnfinished(view) ? traces : update.desired);
  if (!begun) return act('BeginVMUpdate', { do: 'recordUpdate', spec: traces, finished: false });
  return act(isUnfinished(view) ? 'UpdateVM' : 'RepairVM', { do: 'update', spec: update.desired ?? '' });
}

/** What is to be done before a VM is made: everything that may come to be on it is written down, as before an update. */
export function notWrittenDown(view: MachineView): Answer | undefined {
  const { desired } = view.update;
  if (desired === undefined) return undefined;
  const spec = tracesOf(view);
  if (isUnfinished(view) && appliedSpec(view) === spec) return undefined;
  return act('BeginVMUpdate', { do: 'recordUpdate', spec, finished: false });
}

/** Whether an update of the Machine waits for others of its class to end. */
export const awaitsUpdateSlot = (view: MachineView): boolean =>
  isDue(view) && !isFailing(view) && !view.update.inFlight && !view.update.slotFree;

/** Milliseconds until an update that failed, waits for its turn, or takes long is looked at again. */
export function updateRetry(view: MachineView): number {
  if (!isDue(view)) return Infinity;
  if (awaitsUpdateSlot(view)) return TURN_RECHECK_MS;
  if (view.update.inFlight) return briefLeft(view.update.inFlight, view.now);
  return (view.update.failure?.retryAt ?? Infinity) - view.now;
}

/** How the update stands, where passing the step does not tell it; undefined when the VM is as its class wants it. */
export function updateState(view: MachineView): StepState | undefined {
  const { failure, inFlight, slotFree } = view.update;
  if (!isDue(view)) return undefined;
  if (failure) return notYet(failure.code, failure.message);
  if (!inFlight)
    return slotFree ? undefined : notYet('WaitingForDriverSlot', 'other machines of the class are updated first');
  const brief = Number.isFinite(briefLeft(inFlight, view.now)) && !wasNotYet(view);
  return brief ? undefined : notYet('Updating', 'the driver brings the VM to the hot fields of its class');
}

/** Milliseconds until an update is worth telling; Infinity once it is. */
function briefLeft({ since }: NonNullable<UpdateFact['inFlight']>, now: number): number {
  const left = since + BRIEF_MS - now;
  return left > 0 ? left : Infinity;
}

const notYet = (reason: string, message: string): StepState => ({ type: STEP, status: 'False', reason, message });

const wasNotYet = ({ machine }: MachineView): boolean => conditionOf(machine, STEP)?.status === 'False';

/** The VM is there and living, and is not, or may not be, as its class wants it. */
function isDue(view: MachineView): boolean {
  const { update, vm, machine } = view;
  if (update.desired === undefined || vm.at !== 'present' || !machine.spec?.providerID) return false;
  if (machine.metadata.deletionTimestamp || phaseOf(machine) === 'Failed') return false;
  return !isOnRecord(view, update.desired) || hasDrifted(view);
}

/** The last update failed, and it is too early for another. */
const isFailing = ({ update, now }: MachineView): boolean => (update.failure?.retryAt ?? 0) > now;

const appliedSpec = ({ machine }: MachineView): string | undefined =>
  machine.metadata.annotations?.[ANNOTATION_APPLIED_SPEC];

const isUnfinished = ({ machine }: MachineView): boolean =>
  machine.metadata.annotations?.[ANNOTATION_UPDATE_UNFINISHED] !== undefined;

const isOnRecord = (view: MachineView, spec: string): boolean => !isUnfinished(view) && appliedSpec(view) === spec;

/** All that may be on the VM while it is brought to what is wanted, and after an error. */
const tracesOf = (view: MachineView): string =>
  canonical(union(specIn(appliedSpec(view)), specIn(view.update.desired)));

/** The driver says that the VM lacks something, and has said so since the last update. */
function hasDrifted({ update, vm, calls }: MachineView): boolean {
  const wanted = specIn(update.desired);
  if (vm.at !== 'present' || !vm.hot || !wanted) return false;
  return (calls.askedAt ?? 0) > (update.doneAt ?? 0) && drifted(vm.hot, wanted);
}

/** The last update as an operation of a Machine in good order, when it failed and when that is over. */
export function updateOperation(view: MachineView): LastOperation | undefined {
  const { failure } = view.update;
  const { lastOperation, currentStatus } = view.machine.status ?? {};
  const { type, state } = lastOperation ?? {};
  if (currentStatus?.phase !== 'Running' && currentStatus?.phase !== 'Available') return undefined;
  if (isDue(view) && failure) {
    const description = `Updating the VM failed. Cloud provider message - ${failure.message}`;
    return { type: 'Update', state: 'Failed', description, errorCode: failure.code };
  }
  if (type !== 'Update' || state !== 'Failed' || isDue(view)) return undefined;
  return { type: 'Update', state: 'Successful', description: 'Updated machine on cloud provider' };
}

type Spec = Readonly<Record<string, unknown>>;

/** Hot fields as a record keeps them; undefined for a text that is none. */
export function specIn(text: string | undefined): Spec | undefined {
  const value = recordIn(text);
  return isObject(value) ? value : undefined;
}

/** All that two specs may have left on a VM: maps and lists hold the entries of both, of single values the later holds. */
export function union(before: unknown, after: unknown): unknown {
  if (isObject(before) && isObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return Object.fromEntries(keys.map((key) => [key, union(before[key], after[key])]));
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    // Lists have no bound but that of their class, and a record may be anybody's (hack/decisions/0028 T84).
    const known = new Set(after.map(canonical));
    return [...after, ...before.filter((item) => !known.has(canonical(item)))];
  }
  return after === undefined ? before : after;
}

/** Whether a VM that has `has` lacks something of `wanted`. Fields of which `has` says nothing are not known. */
export const drifted = (has: Spec, wanted: Spec): boolean =>
  Object.entries(wanted).some(([field, value]) => has[field] !== undefined && lacks(has[field], value));

function lacks(has: unknown, wanted: unknown): boolean {
  if (isObject(has) && isObject(wanted)) return Object.entries(wanted).some(([key, value]) => lacks(has[key], value));
  return !isSame(has, wanted);
}
