import { ANNOTATION_NODE_MACHINE, ANNOTATION_SCALE_DOWN_DISABLED_BY_MCM } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import type { MachineClass } from '../../../schemas/machineclass.ts';
import type { DrainAction, DrainView } from '../../drain/flow/view.ts';
import type { DriverMethod, VmCondition, VmOwner } from '../../drivers/sdk/driver.ts';
import type { Code } from '../../drivers/sdk/errors.ts';
import type { ClusterFact } from '../../model/readiness.ts';
import type { Heard } from '../../model/target.ts';
import type { NodeChange } from '../../nodes/change.ts';
import type { Node, Taint } from '../../runtime/k8s/core.ts';
import type { ReplacementHold } from '../../safety/meltdown/policy.ts';
import type { Gate } from '../../safety/outage/gate.ts';
import type { ClaimFact } from './vmclaim.ts';

/** What a driver said of the VM: doubt is an answer of its own, and nothing is created or forgotten on it. */
export type VmFact =
  | { at: 'unknown' }
  /** Since the driver first said so, without a word to the contrary since. */
  | { at: 'absent'; since: number }
  | {
      at: 'present';
      providerID: string;
      nodeName: string;
      /** Whose it is, as the driver told it. */
      owner?: VmOwner;
      initialized: boolean;
      /** The driver cannot say so: the Machine's record is believed. */
      assumed?: true;
      addresses?: Array<{ type: string; address: string }>;
      /** As the driver last told them. */
      conditions?: readonly VmCondition[];
      /** Hot fields as the driver says that the VM has them. */
      hot?: Readonly<Record<string, unknown>>;
      /** Hot fields that it was just made with, as canonical JSON. */
      madeOf?: string;
    };

/** How the class of a Machine stands. A class that no driver here claims is left to whoever serves it. */
export type ClassFact =
  | { at: 'missing'; name: string }
  | { at: 'foreign'; provider: string }
  | { at: 'secretMissing'; secret: string }
  /** It names a Secret of another namespace, which is never read. */
  | { at: 'secretForeign'; secret: string }
  | {
      at: 'ours';
      class: MachineClass;
      /** The class is gone: this is what the Machine's record has of it. */
      fromRecord?: true;
      /** What lacks the finalizer that keeps it while machines use it, in words. */
      unheld?: string;
    };

/**
 * The Node of a Machine; `none` when there is no target cluster, `unknown` while that is missing or cannot be read. A Node
 * of another VM is never ours, whatever its name.
 */
export type NodeFact =
  | { at: 'none' }
  | { at: 'unknown' }
  | { at: 'absent' }
  /** `stale`: it was there before the Machine, and will not go by itself; `why` it is not the Machine's, where no id tells. */
  | { at: 'foreign'; name: string; providerID: string; stale: boolean; why?: string }
  | {
      at: 'present';
      name: string;
      uid: string;
      /** It is confirmed to be the Machine's: as long as it is not, it is looked at, and not touched. */
      ours: boolean;
      deleting: boolean;
      /** There are conditions, Ready is True or missing, and those that count (`nodeConditions`) are False or missing (hack/spec/mcm.md 6.5 B). */
      ready: boolean;
      /** What speaks against that, in words; absent while it is ready. */
      ill?: string;
      /** Its Lease is no longer renewed, whatever its conditions say. */
      silent: boolean;
      /** It has a Lease; `livedAt`: a time after which this process saw it renewed. */
      heard?: Heard;
      /** When a condition last changed; 0 when none says. */
      changedAt: number;
      /** The taint of components that must run first is still there (hack/spec/mcm.md 2.4). */
      critical: boolean;
      conditions: NodeCondition[];
      /** The Node as it was last seen. */
      object: Node;
    };

/** A condition as Machine and Node share them. */
export type NodeCondition = NonNullable<NonNullable<NonNullable<Machine['status']>['conditions']>[number]>;

/** The last call that failed, and when it may be tried again. */
export interface CallFailure {
  method: DriverMethod;
  code: Code;
  message: string;
  /** Milliseconds since the epoch; a change of the Machine, its class or its secret brings it to now. */
  retryAt: number;
  /** Since when every call of the method has failed. */
  since?: number;
  /** Nothing but a person can mend it (drivers/sdk/errors.ts, class permanent). */
  permanent: boolean;
}

/** A write that the API server will refuse again, and when it is tried all the same (milliseconds since the epoch). */
export interface Refusal {
  message: string;
  retryAt: number;
}

/** Writes that were refused and hold up what comes behind them, by {@link writeKey}. */
export type Halts = ReadonlyMap<string, Refusal>;

/** Which write of which step: to a Node's capacity, to its conditions and to all else of it are three; the last together with scale-down-disabled is a fourth. */
export const writeKey = (step: string, action: MachineAction): string => `${step}/${action.do}${partOf(action)}`;

function partOf(action: MachineAction): string {
  if (action.do !== 'changeNode') return '';
  const { capacity, condition } = action.change;
  if (capacity || condition) return capacity ? '/capacity' : '/condition';
  return isOwnerWithScaleDown(action.change) ? '/scaleDownDisabled' : '';
}

/** It says whose the Node is, and keeps an autoscaler from it: each is written without the other where that is refused. */
const isOwnerWithScaleDown = ({ annotations }: NodeChange): boolean =>
  annotations?.[ANNOTATION_NODE_MACHINE] != null && annotations[ANNOTATION_SCALE_DOWN_DISABLED_BY_MCM] != null;

/** A deletion of the VM that the driver has answered; whether the VM is gone, it says when it is asked (vmabsence.ts). */
export interface DeletionFact {
  /** When it was answered, milliseconds since the epoch. */
  at: number;
  /** The driver denied the VM already at its deletion: it may not have found it. */
  denied?: true;
  /** It has said since how the VM stands. */
  heard?: true;
  /** No id of the VM was on record when it was asked for; it is forgotten as soon as one is. */
  unnamed?: true;
}

/** Driver calls of a Machine: at most one is in flight. */
export interface CallsFact {
  /** `cancelled`: it was told to give up, and has yet to do so. */
  inFlight?: { method: DriverMethod; since: number; cancelled?: true };
  /** When this process saw that the Machine is being deleted. */
  leavingSince?: number;
  /** The latest call that failed, and that nothing has shown to be overcome since. */
  failure?: CallFailure;
  /** What stands beside it of other methods, the latest first. */
  earlier?: readonly CallFailure[];
  /** When the driver last said how the VM stands. */
  askedAt?: number;
  /** The latest deletion, unless one failed since. */
  deletion?: DeletionFact;
  /** The driver has reported a VM to this process, if only once. */
  known?: true;
  /** Asked about the VM, the driver has told this process of it: not in its answer to the creation alone. */
  shown?: true;
  /** This process has seen the Node of the VM. */
  registered?: true;
  /** When a create call was canceled, or ended without saying whether there is a VM now, and none was seen since. */
  lostAt?: number;
  /** The driver has marked the VM as left on purpose. */
  retained?: true;
  /** The driver's `lastKnownState`: empty for nothing, absent while it has reported none. */
  lastKnownState?: string;
  /** Methods of which no call may start now, for as many as may are in flight (machine/calls/limiter.ts). */
  full: readonly DriverMethod[];
}

/** A token could not be made, and it is too early to try again. */
export interface TokenFailure {
  message: string;
  /** Milliseconds since the epoch. */
  retryAt: number;
}

/** The bootstrap token that a new VM is to get; `unknown` while it cannot be said whether there is one. */
export type TokenFact = 'unwanted' | 'unknown' | 'missing' | 'present' | TokenFailure;

/** The hot fields of a Machine's class, and how far they have come to its VM. Specs are canonical JSON. */
export interface UpdateFact {
  /** What the class says; absent when its driver updates nothing. */
  desired?: string;
  inFlight?: CallsFact['inFlight'];
  failure?: CallFailure;
  slotFree: boolean;
  /** What the VM was brought to, as long as that is not on record. */
  done?: string;
  /** When the last update succeeded. */
  doneAt?: number;
}

/** Everything that one decision about a Machine needs, read once. Times are milliseconds. */
export interface MachineView {
  now: number;
  /** When the Machine was first seen, if that was as it was made; no clock but ours has a say in it. */
  bornAt?: number;
  /** When this process began to lead, of a Machine that was there before: another one may have asked for its VM until then. */
  inheritedAt?: number;
  /** This process saw its creation, and has asked no driver to make a VM for it since: so there is none. */
  unasked?: true;
  /** Whether anything may be taken away now. */
  gate: Gate;
  cluster: ClusterFact;
  machine: Machine;
  class: ClassFact;
  vm: VmFact;
  claim: ClaimFact;
  calls: CallsFact;
  update: UpdateFact;
  node: NodeFact;
  token: TokenFact;
  /** The drain of the Node, while somebody wants one. */
  drain?: DrainView | undefined;
  /** `vmYouth`: for so long after its creation a VM may not be listed by the cloud yet. */
  limits: { creation: number; health: number; preserve: number; inPlace: number; vmYouth: number };
  /** The taint that kubelets register with until their machine runs; undefined when there is none. */
  startupTaint: Taint | undefined;
  /** Differs as soon as the Machine's spec, its class or its secret has changed. */
  mark: string;
  /** Steps that stand back because a write of theirs was refused, until it is time to try again; and these writes, by {@link writeKey}. */
  refused: ReadonlyMap<string, Refusal>;
  /** Writes of steps that do not stand back: each waits until it is time to try again, and all behind it. */
  halted: Halts;
  /** No owner is recorded on its Node, and the scale-down of Nodes of its deployment is disabled during a rollout. */
  disablesScaleDown?: true;
  /** This process runs on the Machine's Node, or may. */
  isHost?: boolean;
  /** A sentence on each field of the spec that the driver cannot bring about; absent when there is none. */
  unsupported?: string;
  /** The time of a machine that is unhealthy may be over, and yet it is not given up: for the sake of others. */
  hold?: ReplacementHold;
}

/** What a driver is called for on a Machine's way; hot updates go beside it. */
export type CalledMethod =
  | 'getMachineStatus'
  | 'createMachine'
  | 'initializeMachine'
  | 'retainMachine'
  | 'claimMachine'
  | 'deleteMachine';

/** What can be done for a Machine; `machine/actions.ts` knows how. */
export type MachineAction =
  | { do: 'addFinalizer' }
  | { do: 'call'; method: CalledMethod }
  | { do: 'cancelCall' }
  | { do: 'makeToken' }
  | {
      do: 'recordVm';
      providerID: string;
      nodeName: string;
      madeOf?: string;
      confirmed?: Readonly<Record<string, string>>;
    }
  | { do: 'changeNode'; change: NodeChange }
  /** Annotations and labels of the Machine; null takes one off. */
  | {
      do: 'annotate';
      annotations?: Readonly<Record<string, string | null>>;
      labels?: Readonly<Record<string, string | null>>;
    }
  /** Writes down what is on the VM, or with `finished` false all that may be on it from now on. */
  | { do: 'recordUpdate'; spec: string; finished: boolean }
  | { do: 'update'; spec: string }
  /** Clocks of a Machine that leaves. */
  | { do: 'recordDeletion'; deletion: object }
  | { do: 'drain'; action: DrainAction }
  /** Detaches volumes by force; names of VolumeAttachments. */
  | { do: 'deleteAttachments'; names: readonly string[] }
  | { do: 'deleteNode'; name: string }
  /** Lets a Node go that is being deleted. */
  | { do: 'releaseNode'; name: string }
  | { do: 'deleteMachine' }
  | { do: 'removeFinalizer' };
