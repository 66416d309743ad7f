import type { StepTable } from '../../flow/flow.ts';

/** Steps of a Machine's life, in the order of the flows: when each is satisfied. */
export const steps = {
  Paused: 'Nobody has paused the machine. Its condition, as in Cluster API, is True while somebody has.',
  SpecValid: 'Its spec is valid and can be fulfilled; what the webhook refuses is judged again.',
  ClassReady: 'Its class, the class’s Secrets and a driver for its provider are there.',
  FieldsSupported: 'The driver can bring about all that the spec asks for; what it cannot stops nothing.',
  FinalizerAdded: 'The finalizer is on.',
  ClassRecorded: 'What the VM is made from stands on the machine, so that its end needs no class.',
  ClusterReachable:
    'There is no target cluster, or it is there and can be read; a machine that is being deleted does not need it.',
  PreservationApplied: 'The Node shows what is asked of the machine’s preservation.',
  VMCreated: 'There is a VM, and its id is in `spec.providerID`.',
  VMClaimed: 'The driver has confirmed that the VM is the machine’s own; until it has, neither VM nor Node is touched.',
  VMInitialized: 'The driver has finished the VM; where its Node is well, the machine goes on without.',
  VMUpToDate:
    'The VM matches the fields of its class that its driver updates in place (`x-drover-hot-update`), and the machine’s record says so.',
  NodeRegistered: 'The VM’s Node has registered.',
  DeletionNotRequested: 'Nobody asks by an annotation of the Node that the machine goes.',
  NodeSynced:
    'The Node carries the labels, annotations and taints that the machine asks for, and its class’s virtual capacity; none of MCM’s finalizers keeps one that is deleted.',
  InPlaceUpdated: 'No update in place is under way.',
  NodeHealthy: 'The Node is ready, and no condition that counts speaks against it.',
  StartupTaintRemoved: 'The start-up taint is off the Node.',
  DeletionAllowed: 'No annotation `delete.check.…` holds the deletion, by force or not.',
  VMLocated: 'Which VM and Node are those of the machine that goes is written into it.',
  VMRetained: 'The VM is not to stay, or its driver has marked it as left on purpose.',
  Drained:
    'The pods of the Node have left, or the drain has run out of time; without a Node there is nothing to drain.',
  VolumesDetached:
    'No volume is attached that no pod on the Node uses, and after a forced drain none at all, or they have had their time.',
  VMDeleted: 'The driver says that nothing of the VM is left.',
  VolumesReleased: 'Volumes of a lost Node, whose VM is gone, are detached, or have had their time.',
  NodeDeleted:
    'The Node is gone, or it stays, and an event says so: a policy of the API server keeps it from going, or its deletion was refused for 10 minutes.',
  FinalizerRemoved: 'The finalizer is off.',
} as const satisfies StepTable;

/** What is to be known of a step of a Machine's life beside what it decides. */
interface StepTraits {
  /**
   * What follows a write of the step's that was refused (writefailures.ts): all behind it `waits`; or nothing is held up, in that the flow
   * passes over a step that only writes, and that a step that has more to say goes on `itself`: it looks at `view.refused`, and does
   * not ask for that write.
   */
  refused: 'waits' | 'passed' | 'itself';
  /** Its waits have a time-out: what a Node shows, or fails to show, does not count during an outage (gating.ts). */
  timed?: true;
}

/** The traits of each step: a new one has to say what it is like. */
const traits = {
  Paused: { refused: 'itself' },
  SpecValid: { refused: 'waits' },
  ClassReady: { refused: 'waits' },
  FieldsSupported: { refused: 'waits' },
  FinalizerAdded: { refused: 'waits' },
  ClassRecorded: { refused: 'itself' },
  ClusterReachable: { refused: 'waits' },
  PreservationApplied: { refused: 'passed' },
  VMCreated: { refused: 'waits' },
  VMClaimed: { refused: 'itself' },
  VMInitialized: { refused: 'waits' },
  VMUpToDate: { refused: 'passed' },
  NodeRegistered: { refused: 'waits', timed: true },
  DeletionNotRequested: { refused: 'passed' },
  NodeSynced: { refused: 'itself' },
  InPlaceUpdated: { refused: 'passed', timed: true },
  NodeHealthy: { refused: 'waits', timed: true },
  StartupTaintRemoved: { refused: 'passed' },
  DeletionAllowed: { refused: 'waits' },
  VMLocated: { refused: 'itself' },
  VMRetained: { refused: 'waits' },
  Drained: { refused: 'itself', timed: true },
  VolumesDetached: { refused: 'itself', timed: true },
  VMDeleted: { refused: 'waits' },
  VolumesReleased: { refused: 'itself', timed: true },
  NodeDeleted: { refused: 'passed' },
  FinalizerRemoved: { refused: 'waits' },
} as const satisfies Record<keyof typeof steps, StepTraits>;

/** The traits of a step by name; undefined for what is none, such as a flow that has settled. */
export const traitsOf = (step: string): StepTraits | undefined =>
  Object.hasOwn(traits, step) ? traits[step as keyof typeof traits] : undefined;

/** The steps that come after that one, in the order of the flows. */
export const stepsBehind = (step: keyof typeof steps): string[] => NAMES.slice(NAMES.indexOf(step) + 1);

const NAMES = Object.keys(steps);
