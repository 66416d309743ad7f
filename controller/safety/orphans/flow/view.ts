import type { ListedVm } from '../../../drivers/sdk/driver.ts';

/** Bounds of a sweep, times in milliseconds (decisions 7). */
export interface SweepLimits {
  /** What is done with an orphan: deleted, or only told of. */
  policy: 'delete' | 'report';
  /** A younger VM is left alone: its Machine may not be known here yet (MCM 13.3). */
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

/** How a VM stands in a sweep. */
export type Standing =
  /** It is a Machine's, or may be. */
  | 'owned'
  /** Another installation made it, or another controller of this one looks after its namespace: never touched. */
  | 'foreign'
  /** It was left on purpose: never touched. */
  | 'retained'
  /** Without a Machine, and without an age, an installation or a name: never touched, but told of. */
  | 'unknown'
  /** An orphan younger than the grace age. */
  | 'young'
  /** An orphan that has yet to be seen a second time. */
  | 'waiting'
  /** An orphan that is told of, as the policy says. */
  | 'reported'
  /** An orphan that stays because of a freeze or an outage, or because this controller runs on it. */
  | 'held'
  /** An orphan that waits for its turn: the sweep has begun as many deletions as it may. */
  | 'queued'
  /** An orphan that is being deleted. */
  | 'leaving'
  /** An orphan to be deleted now, if the API server knows no Machine for it. */
  | 'due';

/** What a sweep found, and what the next one is to know. */
export interface SweepPlan {
  standings: ReadonlyMap<ListedVm, Standing>;
  sightings: ReadonlyMap<string, number>;
  /** VMs that were seen without a Machine often enough, and stay all the same: to be told of. */
  findings: readonly ListedVm[];
}
