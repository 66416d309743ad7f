import type { Machine } from '../../../schemas/machine.ts';
import type { MachineClass } from '../../../schemas/machineclass.ts';
import type { Published } from '../../../schemas/providers/index.ts';

/**
 * The contract of a driver (hack/decisions/0000 6; hack/spec/mcm.md 9.1). Everything that crosses it is plain JSON, apart from the
 * signal, so that a driver may as well run in another process.
 *
 * - A method answers, or throws a DriverError (errors.ts). Any other thrown value counts as Unknown.
 * - Every call carries a deadline in its signal; when it aborts, the driver gives up at once.
 * - Every method is idempotent. `token` names the intent: the same token never makes a second VM, whatever else changed.
 * - Secrets are never logged and never part of a message.
 * - A VM is marked with its {@link VmOwner} when it is made. The VM of a request is the one that `spec.providerID` names;
 *   without that the one whose mark has the Machine's UID. createMachine and getMachineStatus then look further: for one whose
 *   mark has its installation, or else one of `formerIncarnations`, its namespace and name, and that was not left behind on
 *   purpose. They answer with the mark, whosever the VM is; all other methods refuse one whose mark names another Machine with
 *   FailedPrecondition, never NotFound.
 */

/** What every call about machines of a class carries. */
export interface ClassRequest {
  /**
   * The resolved class. An inline `provider` + `providerSpec` arrives in the same form, and so does what a machine remembers
   * of a class that is gone: name and namespace are all of its metadata then.
   */
  class: MachineClass;
  /**
   * Merged data of the class's secrets, decoded. For createMachine and initializeMachine its `userData`, if there is any,
   * carries the machine's name and bootstrap token in the place of their marks.
   */
  secret: Readonly<Record<string, string>>;
  /** The Cluster that the machine's label names; absent for the default target. */
  cluster?: { namespace: string; name: string };
  /** Id of this installation (`--installation-id`; by default the UID of the control cluster's `kube-system`). Part of each mark. */
  incarnation: string;
  /** Aborts when the call's deadline passes or the process ends. */
  signal: AbortSignal;
}

/** A call about one machine. */
export interface MachineRequest extends ClassRequest {
  machine: Machine;
  /** Ids of other installations that the machine's namespace was moved from: its VM may have the mark of one of them. */
  formerIncarnations?: readonly string[];
  /** Idempotency token: the Machine's UID; for an update UID and generation. */
  token: string;
}

/** Whose a VM is, as the VM itself says: all four where it was marked, less of a VM that somebody else made. */
export interface VmOwner {
  /** The `incarnation` of the request that marked it. */
  installation?: string | undefined;
  /** Of the Machine. */
  namespace?: string | undefined;
  name: string;
  uid?: string | undefined;
}

/** One thing that a driver says of how a VM stands; type and reason are words such as Kubernetes has for conditions. */
export interface VmCondition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
}

/** What the driver says of a VM that is there. */
export interface VmAnswer {
  /** Identity of the VM, never empty, never reused for another VM. */
  providerID: string;
  /** Name that the VM's Node has or will have; may be empty where machines join no cluster. */
  nodeName: string;
  /** The VM's mark, or what else it tells of whose it is; absent where it tells nothing. */
  owner?: VmOwner;
  /** Of the VM, as its Node reports them: a Node without a providerID has to report one of them, where namespaces share a cluster. */
  addresses?: Array<{ type: string; address: string }>;
  /**
   * How the VM stands, one of each type, in `status.providerConditions` of its Machine; without a word what stands there stays.
   * `Migrating` that is True makes it an early victim of a scale-down among machines that are well.
   */
  conditions?: readonly VmCondition[];
  /** Of createMachine: whether the VM is done. Without a word it is, unless the driver has `initializeMachine`. */
  initialized?: boolean;
  /** The driver's own memo, kept in the Machine's `status.lastKnownState`. */
  lastKnownState?: string;
  /**
   * Hot fields as the VM has them now, in the form of the providerSpec; fields that the driver cannot tell are left out.
   * What the class wants and is missing here is drift: `updateMachine` is called again. More than it wants is no drift.
   */
  hot?: Readonly<Record<string, unknown>>;
}

/** One VM of a list. A VM without `created` and `incarnation` is only ever reported, never swept. */
export interface ListedVm {
  providerID: string;
  /** Name of the Machine for which the VM was made. */
  machineName: string;
  /** Moment of its creation, milliseconds since the epoch. */
  created?: number;
  incarnation?: string;
  /** The VM's mark, as in {@link VmAnswer}. */
  owner?: VmOwner;
  /** `retainMachine` has marked it: no sweep touches it. */
  retained?: true;
}

/** A hot update. Its token names the Machine and the generation of the class, or of the Machine for an inline spec. */
export interface UpdateRequest extends MachineRequest {
  /**
   * Hot fields that earlier updates may have left on the VM, in the form of the providerSpec: those of the last one that
   * succeeded, and beside them those of updates that failed since (maps and lists hold the entries of all of them).
   * What is in here and not in the class's providerSpec is to be taken off. Without a record it is what is wanted.
   */
  applied: Readonly<Record<string, unknown>>;
}

/** A VM gets the mark of another Machine than it has. */
export interface ClaimRequest extends MachineRequest {
  /** The mark that the VM is thought to have. */
  from: VmOwner;
}

/** Power states and ways to get there (VM Operator's words). */
export type PowerState = 'PoweredOn' | 'PoweredOff' | 'Suspended';
export type PowerMode = 'Hard' | 'Soft' | 'TrySoft';

export interface Driver extends Published {
  /**
   * Makes the machine's VM and marks it, or finds the one that an earlier call with this token made, or that was made for a
   * Machine of the same installation, namespace and name before a restore, or before a move: the answer tells its mark.
   * Answers NotFound never; AlreadyExists only for a VM that is not ours; ResourceExhausted when there is no room, and nothing was made.
   */
  createMachine(request: MachineRequest): Promise<VmAnswer>;

  /**
   * Removes the VM and all that it brought (boot and local data disks, interfaces), never a disk that a
   * PersistentVolume names. Answers when nothing is left, or as soon as that will come about by itself: whoever calls then asks
   * getMachineStatus until there is NotFound, and again for the deletion if that takes long. A VM that is gone already is a success,
   * one whose mark names another Machine FailedPrecondition. A sweep calls it with no more of a Machine than the VM's mark and identity.
   */
  deleteMachine(request: MachineRequest): Promise<{ lastKnownState?: string }>;

  /**
   * Present: an answer, whosever the VM is. Absent: NotFound. There, but to be initialized: Uninitialized with `known`.
   * Doubt: any other code. One that is being deleted is present until nothing of it is left: Node and Machine stay as long.
   * Without this method and a list nobody can tell, and the answer to the deletion is believed.
   */
  getMachineStatus?(request: MachineRequest): Promise<VmAnswer>;

  /** Finishes a VM that was made (for example a setting that only a running VM takes). NotFound and Unimplemented mean skip. */
  initializeMachine?(request: MachineRequest): Promise<VmAnswer>;

  /**
   * Whether two ids that are written in two ways denote one VM: clouds write the middle in several, as in
   * `aws:///eu-west-1/i-1` and `aws:///eu-west-1a/i-1` (hack/spec/mcm.md 9.1). No call but a pure judgement of the words, asked only of ids
   * with the same end; false where that is a name, one VM's within its project or zone alone, and for ids of other clouds.
   * A driver whose Nodes' `spec.providerID` differs from its answers' needs it: else only the same words denote one VM.
   */
  isSameVm?(one: string, other: string): boolean;

  /**
   * Whether an id may denote a VM of this driver: false for one that it never writes, such as another cloud's. A pure judgement of
   * the words. Without it any id may, and a deleted machine with a wrong one waits for an answer that never comes.
   */
  isVmId?(providerID: string): boolean;

  /** Every VM of the class, of all incarnations; nothing may be missing from a list that is answered. */
  listMachines?(request: ClassRequest): Promise<ListedVm[]>;

  /** Ids, in the driver's words, of those volumes (core/v1 PersistentVolumeSpec) that are the provider's; others are left out. */
  getVolumeIDs?(request: { volumes: ReadonlyArray<Record<string, unknown>>; signal: AbortSignal }): Promise<string[]>;

  /**
   * Brings fields marked hot to the class's values; what others put on the VM survives. Called again, with the same
   * token too, until it succeeds: of several resources, those that are done already are a success.
   * Answers NotFound when there is no VM.
   */
  updateMachine?(request: UpdateRequest): Promise<void>;

  /** These four are what `pending` capabilities promise (schemas/providers/capabilities.ts): nothing calls them yet. */
  setPowerState?(request: MachineRequest & { to: PowerState; mode: PowerMode }): Promise<void>;
  restart?(request: MachineRequest & { mode: PowerMode }): Promise<void>;
  promoteDisks?(request: MachineRequest & { online: boolean }): Promise<void>;
  snapshot?(request: MachineRequest & { name: string }): Promise<void>;

  /**
   * Puts the Machine's mark on the VM that its `spec.providerID` names, and takes the mark of `retainMachine` off, if the VM
   * has the mark `from` (or has this Machine's already); FailedPrecondition otherwise. Whoever marks VMs has it.
   */
  claimMachine?(request: ClaimRequest): Promise<VmAnswer>;

  /**
   * Marks the VM as left behind on purpose, so that no sweep takes it; without it `deletionPolicy: Retain` is refused.
   * FailedPrecondition for a VM whose deletion has begun: it cannot stay any more.
   */
  retainMachine?(request: MachineRequest): Promise<void>;
}

/** A driver with work of its own, begun when the controller leads and ended by the signal. */
export interface RunningDriver extends Driver {
  /** Resolves when the driver is ready to be called; what it started ends with the signal. */
  start(signal: AbortSignal): Promise<void>;
}

/** Methods that are awaited with a deadline, in milliseconds. */
export const deadlines = {
  createMachine: 600_000,
  deleteMachine: 600_000,
  getMachineStatus: 60_000,
  initializeMachine: 300_000,
  listMachines: 300_000,
  getVolumeIDs: 10_000,
  updateMachine: 300_000,
  retainMachine: 60_000,
  claimMachine: 60_000,
} as const satisfies Partial<Record<keyof Driver, number>>;

/** A method that the controller calls on a driver. */
export type DriverMethod = keyof typeof deadlines;
