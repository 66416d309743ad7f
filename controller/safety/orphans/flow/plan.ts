import type { Machine } from '../../../../schemas/machine.ts';
import type { MachineClass } from '../../../../schemas/machineclass.ts';
import { isOnlyKept } from '../../../../schemas/rules/machine.ts';
import type { ListedVm } from '../../../drivers/sdk/driver.ts';
import { endOf } from '../../../drivers/sdk/vmstatus.ts';
import type { EventTable } from '../../../flow/flow.ts';
import { vmExpectedUntil } from '../../../model/expectedvm.ts';
import { confirmedAt } from '../../../model/machine.ts';

/** Standings of orphans that stay: people are told of them. */
const REPORTED: ReadonlySet<SweepState> = new Set(['unknown', 'reported', 'held']);

/** Standings of VMs that are not without a Machine, or are on their way out. */
const RECONCILED: ReadonlySet<SweepState> = new Set(['owned', 'foreign', 'retained', 'terminating']);

/**
 * How each VM of a class stands. A VM is never deleted on suspicion: it must be this installation's, without a Machine in two sweeps in a
 * row, and old enough, and nothing may be frozen or unreachable (hack/decisions/0000 7; hack/spec/mcm.md 13.2, 13.3).
 */
export function planSweep(view: SweepView): SweepPlan {
  const sightings = new Map<string, number>();
  const states = new Map<ListedVm, SweepState>();
  let begun = view.vms.filter(view.isLeaving).length;
  for (const vm of view.vms) {
    const found = stateOf(vm, view);
    if (!RECONCILED.has(found) && view.shut === undefined) sightings.set(vm.providerID, firstSeen(vm, view));
    const state = found === 'due' && begun >= view.limits.most ? 'queued' : found;
    if (state === 'due') begun++;
    states.set(vm, state);
  }
  const findings = [...states].filter(([vm, state]) => REPORTED.has(state) && isConfirmed(vm, view));
  return { states, sightings, findings: findings.map(([vm]) => vm) };
}

/** What the list and the Machines say of a VM; then what is known of its past; then what may be done. */
function stateOf(vm: ListedVm, view: SweepView): SweepState {
  const { claims, limits, now, shut } = view;
  if (claims.named(vm)) return 'owned';
  if (vm.incarnation !== undefined && vm.incarnation !== view.incarnation) return 'foreign';
  if (view.isElsewhere(vm)) return 'foreign';
  if (vm.retained || claims.retained(vm)) return 'retained';
  if (claims.pending(vm)) return 'owned';
  if (view.isLeaving(vm)) return 'terminating';
  if (vm.incarnation === undefined || vm.created === undefined || vm.machineName === '') return 'unknown';
  if (now - Math.max(madeAt(vm, vm.created, view), view.steppedAt) < limits.graceMs) return 'young';
  if (!isConfirmed(vm, view)) return shut === undefined ? 'waiting' : 'held';
  if (limits.policy === 'report') return 'reported';
  return shut !== undefined || view.isFrozen(vm) || view.isHost(vm) ? 'held' : 'due';
}

/** When a VM was made; of one by a clock that is far ahead it is known since when it is seen (hack/decisions/0051 L107). */
const madeAt = (vm: ListedVm, created: number, view: SweepView): number =>
  created > view.now + view.limits.graceMs ? firstSeen(vm, view) : created;

/** Whether a VM was seen without a Machine by this sweep and an earlier one, far enough apart. */
const isConfirmed = (vm: ListedVm, view: SweepView): boolean =>
  view.shut === undefined && view.now - firstSeen(vm, view) >= view.limits.apartMs && isKnown(vm, view);

/** A sighting from before the clock was set back may lie ahead: it proves nothing either. */
function isKnown({ providerID }: ListedVm, { sightings, judgesFrom, now }: SweepView): boolean {
  const seenAt = sightings.get(providerID);
  return seenAt !== undefined && seenAt >= judgesFrom && seenAt <= now;
}

const firstSeen = (vm: ListedVm, view: SweepView): number =>
  isKnown(vm, view) ? (view.sightings.get(vm.providerID) ?? view.now) : view.now;

/** What is known of Machines beside what stands in them. */
export interface Beside {
  /** A call that makes the VM of the Machine with this UID is in flight. */
  isCreating(uid: string): boolean;
  /** A Machine of this namespace that has gone left this VM on purpose. */
  wasRetained(namespace: string, providerID: string): boolean;
}

/** The namespace of those whose words count for a VM: that of its mark, without a mark that of the class whose list shows it. */
export const namespaceOf = ({ owner }: Pick<ListedVm, 'owner'>, { metadata }: Pick<MachineClass, 'metadata'>): string =>
  owner?.namespace || (metadata.namespace ?? '');

/**
 * What these Machines say of VMs that a list of this class shows. Anybody may name a VM in a namespace of his own: there a
 * Machine spares no marked VM, and one without a mark only if it has it, or is making one (hack/decisions/0043). One that only the
 * finalizer of somebody else keeps has let go of its VM, and spares none (hack/decisions/0051 S38).
 */
export function claimsOf(
  machines: readonly Machine[],
  machineClass: Pick<MachineClass, 'metadata'>,
  beside: Beside,
): Claims {
  const holding = machines.filter((machine) => !isOnlyKept(machine));
  const isCreating = ({ metadata }: Machine) => beside.isCreating(metadata.uid ?? '');
  const naming = grouped(holding, ({ spec }) => (spec?.providerID ? endOf(spec.providerID) : undefined));
  const making = grouped(
    holding.filter((one) => !one.spec?.providerID || isCreating(one)),
    ({ metadata }) => metadata.name,
  );
  const isNear = (vm: ListedVm, { metadata }: Machine) => metadata.namespace === namespaceOf(vm, machineClass);
  const mayCount = (vm: ListedVm) => !vm.owner?.namespace;
  const has = (vm: ListedVm, one: Machine) => one.spec?.providerID === vm.providerID && confirmedAt(one) !== undefined;
  return {
    named: (vm) =>
      (naming.get(endOf(vm.providerID)) ?? []).some((one) => isNear(vm, one) || (mayCount(vm) && has(vm, one))),
    pending: (vm) =>
      (making.get(vm.machineName) ?? []).some((one) => isNear(vm, one) || (mayCount(vm) && isCreating(one))),
    retained: (vm) => beside.wasRetained(namespaceOf(vm, machineClass), vm.providerID),
  };
}

function grouped(
  machines: readonly Machine[],
  keyOf: (machine: Machine) => string | undefined,
): Map<string, Machine[]> {
  const groups = new Map<string, Machine[]>();
  for (const machine of machines) {
    const key = keyOf(machine);
    const group = key === undefined ? undefined : groups.get(key);
    if (group) group.push(machine);
    else if (key !== undefined) groups.set(key, [machine]);
  }
  return groups;
}

/** Events on the MachineClass whose list shows a VM without a Machine. */
export const orphanEvents = {
  OrphanedVMFound: {
    type: 'Warning',
    help: 'A VM without a Machine is there, and stays: by policy, because of a freeze, or because nothing proves that it is ours.',
  },
  VMOfAnotherInstallationFound: {
    type: 'Warning',
    help: 'A VM of another installation has the namespace and name of a Machine here: it is this installation’s, if that had another id before it was moved or restored.',
  },
  OrphanedVMDeleted: { type: 'Normal', help: 'A VM without a Machine was deleted.' },
  OrphanedVMDeletionFailed: {
    type: 'Warning',
    help: 'The driver did not delete a VM without a Machine: the next sweep tries again.',
  },
  OrphanedNodeDeleted: { type: 'Normal', help: 'The Node of a VM without a Machine was deleted with it.' },
} as const satisfies EventTable;

/** Reasons of the condition `OrphanSweepSucceeded` of a MachineClass. */
export const sweptReasons = {
  SweepSucceeded: 'The driver lists the VMs of the class; those without a Machine are found.',
  ListNotSupported: 'The driver cannot list VMs: VMs without a Machine are not found.',
  SecretNotFound: 'A Secret that the class names does not exist: the driver cannot be asked.',
  RefNotPermitted: 'The class names a Secret of another namespace, which is not read: the driver cannot be asked.',
  ListFailed: 'The driver did not list the VMs of the class: VMs without a Machine are not found.',
} as const;

/** Reasons of the condition `VMDeletionVerified` of a MachineClass. */
export const verifiedReasons = {
  StatusSupported: 'After each deletion the driver is asked until it no longer knows the VM.',
  StatusNotSupported: 'The driver cannot say whether a VM is there: what it answers to a deletion is believed.',
} as const;

/** One of them. */
export type VerifiedReason = keyof typeof verifiedReasons;

/** One of those. */
export type SweptReason = keyof typeof sweptReasons;

/** Bounds of a sweep, times in milliseconds (hack/decisions/0000 7). */
export interface SweepLimits {
  /** What is done with an orphan: deleted, or only told of. */
  policy: 'delete' | 'report';
  /** A younger VM is left alone: its Machine may not be known here yet (hack/spec/mcm.md 13.3). */
  graceMs: number;
  /** Two sightings of a VM are at least this far apart. */
  apartMs: number;
  /** Deletions that one sweep begins, at the most. */
  most: number;
}

/** What the Machines of the control cluster say of VMs. */
export interface Claims {
  /** A Machine names the VM in its providerID. */
  named(vm: ListedVm): boolean;
  /** A Machine of the VM's name has no providerID yet or is making its VM: any VM of the name may be its. */
  pending(vm: ListedVm): boolean;
  /** The VM was left on purpose by a Machine that has gone since. */
  retained(vm: ListedVm): boolean;
}

/** Everything that one sweep over the VMs of a class needs, read once. */
export interface SweepView {
  now: number;
  vms: readonly ListedVm[];
  claims: Claims;
  /** Id of this installation. */
  incarnation: string;
  /** When a VM was first seen without a Machine, by providerID; of sweeps in a row, so nothing else is in here. */
  sightings: ReadonlyMap<string, number>;
  limits: SweepLimits;
  /** Why nothing may be deleted now, in words; undefined when the gate is open. */
  shut: string | undefined;
  /** The control API server is unreachable: what is known of Machines may be old. */
  isBlind?: boolean;
  /** Sightings before this moment prove nothing: what this process knew of Machines may have been old. */
  judgesFrom: number;
  /** When the wall clock was set: ages that it tells count from then; 0 if it never was. */
  steppedAt: number;
  /** It is marked for a namespace that another controller looks after, whose Machines are not seen. */
  isElsewhere(vm: ListedVm): boolean;
  /** A set or deployment whose machines are of the class, or that the VM's name belongs to, is frozen. */
  isFrozen(vm: ListedVm): boolean;
  /** This controller runs on the VM, or that cannot be ruled out: whoever leads elsewhere deletes it. */
  isHost(vm: ListedVm): boolean;
  /** The VM is being deleted by this or another sweep. */
  isLeaving(vm: ListedVm): boolean;
}

/** The state of a VM in a sweep. */
export type SweepState =
  /** It is a Machine's, or may be. */
  | 'owned'
  /** Another installation made it, or another controller of this one looks after its namespace: never touched. */
  | 'foreign'
  /** It was left on purpose: never touched. */
  | 'retained'
  /** Without a Machine, and without an age, an installation or a name: never touched, but reported. */
  | 'unknown'
  /** An orphan younger than the grace age. */
  | 'young'
  /** An orphan that has yet to be seen a second time. */
  | 'waiting'
  /** An orphan that is reported only, as the policy says. */
  | 'reported'
  /** An orphan that stays because of a freeze or an outage, or because this controller runs on it. */
  | 'held'
  /** An orphan that waits for its turn: the sweep has begun as many deletions as it may. */
  | 'queued'
  /** An orphan that is being deleted. */
  | 'terminating'
  /** An orphan to be deleted now, if the API server knows no Machine for it. */
  | 'due';

/** What a sweep found, and what the next one is to know. */
export interface SweepPlan {
  states: ReadonlyMap<ListedVm, SweepState>;
  sightings: ReadonlyMap<string, number>;
  /** VMs that were seen without a Machine often enough, and stay all the same: to be told of. */
  findings: readonly ListedVm[];
}

/** VMs without a Machine of which something is still to come. */
const OPEN: ReadonlySet<SweepState> = new Set(['young', 'waiting', 'held', 'queued', 'due', 'terminating']);

/**
 * Milliseconds until a sweep may conclude that no VM of deleted machines of the class will turn up any more: the time until which one may
 * has passed, and so has that in which a VM counts as young. After the clock was set, these times count from then on. Infinity where no VM
 * is expected.
 */
export const expectedLeft = (
  machineClass: MachineClass,
  { now, graceMs, steppedAt = 0 }: { now: number; graceMs: number; steppedAt?: number },
): number => Math.max(vmExpectedUntil(machineClass) ?? Infinity, steppedAt) + graceMs - now;

/** This list, asked for late enough, shows no VM that somebody is still to delete. */
export const isNoneLeft = ({ states }: SweepPlan): boolean => ![...states.values()].some((state) => OPEN.has(state));
