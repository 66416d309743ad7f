import type { Driver, MachineRequest } from '../../controller/drivers/sdk/driver.ts';
import type { Code } from '../../controller/drivers/sdk/errors.ts';

type Spec = Record<string, unknown>;

/** A providerSpec under which a method fails with a code each time. */
export interface Failing {
  method:
    | 'createMachine'
    | 'deleteMachine'
    | 'getMachineStatus'
    | 'initializeMachine'
    | 'listMachines'
    | 'updateMachine';
  code: Code;
  spec: Spec;
}

/**
 * providerSpecs that bring a driver into the situations that promises are about. A promise whose situation a driver
 * cannot be brought into is not among its tests.
 */
export interface Specs {
  /** Makes the quickest and cheapest VM. */
  plain: Spec;
  /** Differs from `plain`, and is as good. */
  edited: Spec;
  /** Bad for one key that the driver does not know, and the path of that key inside the providerSpec. */
  unknownKey: { spec: Spec; path: string };
  /** `createMachine` takes a second or more. */
  slow?: Spec;
  /** `deleteMachine` answers a second or more before the VM is gone. */
  lingers?: Spec;
  /** The first `createMachine` of a machine makes the VM and fails all the same, with a transient code. */
  lostAnswer?: Spec;
  /** `createMachine` never answers. */
  hang?: Spec;
  /** The class has room for so many VMs. */
  full?: { spec: Spec; room: number };
  /** A VM is Uninitialized until it is initialized. */
  uninitialized?: Spec;
  /** Differs from `plain` in fields that may change on a live VM. */
  hot?: Spec;
  /** As `hot`, and `updateMachine` never answers. */
  hotHang?: Spec;
  /** As `hot`, and the first `updateMachine` of a machine does its work and fails all the same, with a transient code. */
  hotLostAnswer?: Spec;
  failing?: readonly Failing[];
}

/** Methods that a driver may do without. */
export const optional = [
  'getMachineStatus',
  'initializeMachine',
  'listMachines',
  'updateMachine',
  'retainMachine',
  'claimMachine',
] as const;
export type Optional = (typeof optional)[number];

/** A driver that has been started in some world. */
export interface Candidate {
  driver: Driver;
  /** Secret data of the class; the suite adds a value of its own, which must not be told to anybody. */
  secret: Readonly<Record<string, string>>;
  /**
   * What is there of machines whose names begin with `prefix`: VMs, disks, interfaces and whatever else the driver
   * brings into that world, in words for people.
   */
  inventory(prefix: string): Promise<string[]>;
  /** Something of the hot kind (a tag, say) that another system puts on a machine's VM. */
  foreign?: { put(request: MachineRequest): Promise<void>; isThere(request: MachineRequest): Promise<boolean> };
  /** What the controller does when a VM is gone, for example remove its Node. */
  afterDelete?(nodeName: string): Promise<void>;
  /** Everything that was logged, as text. */
  logged(): string;
  /** Ends the driver; what is left in the world is the suite's finding. */
  stop(): Promise<void> | void;
}

/** A driver to put to the test. */
export interface Trial {
  /** Title of its tests. */
  name: string;
  /** Which of the optional methods it has. */
  methods: readonly Optional[];
  specs: Specs;
  /** Whether its list tells creation time and incarnation; without them no orphan is ever swept. */
  stamps: boolean;
  start(): Promise<Candidate>;
}
