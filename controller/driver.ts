import type { Machine } from '../schemas/machine.ts';
import type { MachineClass } from '../schemas/machineclass.ts';
import type { Published } from '../schemas/providers/index.ts';

/**
 * The contract of a driver (decisions "Drivers"; MCM 9.1). Everything that crosses it is plain JSON, apart from the
 * signal, so that a driver may as well run in another process.
 *
 * - A method answers, or throws a DriverError (codes.ts). Any other thrown value counts as Unknown.
 * - Every call carries a deadline in its signal; when it aborts, the driver gives up at once.
 * - Every method is idempotent. `token` names the intent: the same token never makes a second VM, whatever else changed.
 * - Secrets are never logged and never part of a message.
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
  /** Id of this installation: the UID of the control cluster's namespace `kube-system`. Put on every VM. */
  incarnation: string;
  /** Aborts when the call's deadline passes or the process ends. */
  signal: AbortSignal;
}

/** A call about one machine. */
export interface MachineRequest extends ClassRequest {
  machine: Machine;
  /** Idempotency token: the Machine's UID; for an update UID and generation. */
  token: string;
}

/** What the driver says of a VM that is there. */
export interface VmAnswer {
  /** Identity of the VM, never empty, never reused for another VM. */
  providerID: string;
  /** Name that the VM's Node has or will have. */
  nodeName: string;
  addresses?: Array<{ type: string; address: string }>;
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

/** Power states and ways to get there (VM Operator's words). */
export type PowerState = 'PoweredOn' | 'PoweredOff' | 'Suspended';
export type PowerMode = 'Hard' | 'Soft' | 'TrySoft';

export interface Driver extends Published {
  /**
   * Makes the machine's VM, or finds the one that an earlier call with this token made.
   * Answers NotFound never; AlreadyExists only for a VM that is not ours; ResourceExhausted when there is no room.
   */
  createMachine(request: MachineRequest): Promise<VmAnswer>;

  /**
   * Removes the VM and all that it brought (boot and local data disks, interfaces), never a disk that a
   * PersistentVolume names. Done when nothing is left; a VM that is gone already is a success.
   */
  deleteMachine(request: MachineRequest): Promise<{ lastKnownState?: string }>;

  /** Present: an answer. Absent: NotFound. There, but to be initialized: Uninitialized with `known`. Doubt: any other code. */
  getMachineStatus?(request: MachineRequest): Promise<VmAnswer>;

  /** Finishes a VM that was made (for example a setting that only a running VM takes). NotFound and Unimplemented mean skip. */
  initializeMachine?(request: MachineRequest): Promise<VmAnswer>;

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

  setPowerState?(request: MachineRequest & { to: PowerState; mode: PowerMode }): Promise<void>;
  restart?(request: MachineRequest & { mode: PowerMode }): Promise<void>;
  promoteDisks?(request: MachineRequest & { online: boolean }): Promise<void>;
  snapshot?(request: MachineRequest & { name: string }): Promise<void>;

  /** Marks the VM as left behind on purpose, so that no sweep takes it; without it `deletionPolicy: Retain` is refused. */
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
  getVolumeIDs: 60_000,
  updateMachine: 300_000,
  setPowerState: 300_000,
  restart: 300_000,
  promoteDisks: 3_600_000,
  snapshot: 3_600_000,
  retainMachine: 60_000,
} as const satisfies Partial<Record<keyof Driver, number>>;

/** A method that the controller calls on a driver. */
export type DriverMethod = keyof typeof deadlines;
