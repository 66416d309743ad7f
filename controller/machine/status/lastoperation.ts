import type { Machine } from '../../../schemas/machine.ts';
import type { Phase } from '../../../schemas/machinestatus.ts';
import type { DriverMethod } from '../../drivers/sdk/driver.ts';
import { type Decision, messageOf, RECONCILED, reasonOf } from '../../flow/flow.ts';
import { phaseOf, rowOf } from '../../model/phases.ts';
import { failureOf } from '../flow/drivercall.ts';
import type { DeletionStep, LiveStep } from '../flow/flow.ts';
import { updateOperation } from '../flow/hotupdate.ts';
import { inPlaceOperation, UPDATE_PHASES } from '../flow/inplaceupdate.ts';
import { emptyingTrouble } from '../flow/livedrain.ts';
import { FATAL, hasJoined } from '../flow/predicates.ts';
import type { CallFailure, MachineAction, MachineView } from '../flow/view.ts';

type Status = NonNullable<Machine['status']>;
type Operation = NonNullable<Status['lastOperation']>;

/** A stage of a deletion. */
interface Stage {
  /** In MCM's words, for those who look for them (hack/spec/mcm.md 6.7); it knows no pause. */
  says: string;
  /** Calls whose failure is that of the stage: a creation that failed before is no deletion that fails. */
  calls: readonly DriverMethod[];
}

const BEGUN = 'Set machine status to termination. Now, getting VM Status';

const RELEASED = 'Initiate machine object finalizer removal';

const STAGES: Readonly<Record<DeletionStep, Stage>> = {
  Paused: { says: 'The machine is paused: its deletion waits', calls: [] },
  // Without our finalizer nothing is left to do: these are MCM's last words.
  FinalizerAdded: { says: RELEASED, calls: [] },
  DeletionAllowed: { says: 'A check holds the machine: its deletion waits', calls: [] },
  ClusterReachable: { says: 'The target cluster cannot be read: the deletion of the machine waits', calls: [] },
  VMLocated: { says: BEGUN, calls: ['getMachineStatus'] },
  VMClaimed: { says: BEGUN, calls: ['getMachineStatus', 'claimMachine'] },
  VMRetained: { says: 'Retain VM', calls: ['retainMachine'] },
  Drained: { says: 'Initiate node drain', calls: [] },
  VolumesDetached: { says: 'Delete Volume Attachments', calls: [] },
  VMDeleted: { says: 'Initiate VM deletion', calls: ['deleteMachine'] },
  VolumesReleased: { says: 'Delete Volume Attachments', calls: [] },
  NodeDeleted: { says: 'Initiate node object deletion', calls: [] },
  FinalizerRemoved: { says: RELEASED, calls: [] },
};

/** A flow that has settled has no stage. */
const stageOf = (step: string): Stage =>
  Object.hasOwn(STAGES, step) ? STAGES[step as DeletionStep] : { says: step, calls: [] };

/** What a stage waits for that does not come by itself: it has failed, as far as anybody can tell. */
const STUCK: ReadonlySet<string> = new Set(['ClassNotFound', 'SecretNotFound', 'RefNotPermitted', 'WriteRefused']);

/** What a drain does not get on for, though it is tried again: MCM tells of it as of a failure. */
const DRAIN_STUCK: ReadonlySet<string> = new Set(['PodDisruptionBudgetMisconfigured', 'EvictionFailed']);

/** In MCM's words (hack/spec/mcm.md 6.7 S2). */
const drainFailed = (why: string, stage: string): Operation => ({
  type: 'Delete',
  state: 'Failed',
  description: `Drain failed due to - ${why}. Will retry in next sync. ${stage}`,
});

/** A deletion that was accepted fails only if the driver does not say whether the VM is gone. */
const stageCalls = ({ calls }: MachineView, step: string): readonly DriverMethod[] =>
  step === 'VMDeleted' && calls.deletion ? ['getMachineStatus'] : stageOf(step).calls;

/** Calls that make a VM what it is to be. */
const MAKING: readonly DriverMethod[] = ['createMachine', 'getMachineStatus', 'initializeMachine'];

/** What is going on, in MCM's words; undefined leaves what stands there (hack/spec/mcm.md 6.4 to 6.7). */
export function operationOf(view: MachineView, decision: Decision<MachineAction>, phase: Phase): Operation | undefined {
  const { machine } = view;
  const { name } = machine.metadata;
  const before = phaseOf(machine);
  if (phase === 'Terminating') {
    const stage = stageOf(decision.step).says;
    const why = reasonOf(decision);
    if (decision.step === 'Drained' && DRAIN_STUCK.has(why)) return drainFailed(messageOf(decision), stage);
    if (STUCK.has(why)) return { type: 'Delete', state: 'Failed', description: `${stage}. ${messageOf(decision)}` };
    const failure = failureOf(view.calls, stageCalls(view, decision.step));
    return { type: 'Delete', state: failure ? 'Failed' : 'Processing', ...withFailure(stage, failure) };
  }
  if (phase === 'CrashLoopBackOff') return makingFailure(view) && createFailed('Creating the VM failed', view);
  if (phase === 'Failed') return failedOperation(view, decision);
  if (phase === before) return refusedOperation(view, decision) ?? drainOperation(view) ?? updateOperation(view);
  if (phase === 'Pending')
    return { type: 'Create', state: 'Processing', description: 'Creating machine on cloud provider' };
  if (phase === 'Available')
    return { type: 'Create', state: 'Successful', description: 'Created machine on cloud provider' };
  if (phase === 'Running') return joinedOperation(machine);
  if (phase === 'Unknown')
    return {
      type: 'HealthCheck',
      state: 'Processing',
      description: `Machine ${name} is unhealthy: ${[reasonOf(decision), messageOf(decision)].filter(Boolean).join(' - ')}`,
    };
  return inPlaceOperation(phase, 'message' in decision.outcome ? decision.outcome.message : undefined);
}

/** What keeps a machine from being made that no driver has said anything about. */
function refusedOperation(view: MachineView, decision: Decision<MachineAction>): Operation | undefined {
  if (reasonOf(decision) !== 'WriteRefused' || hasJoined(view)) return undefined;
  return { type: 'Create', state: 'Failed', description: `Creating the machine failed. ${messageOf(decision)}` };
}

/** Why the Node of a living machine is not empty yet (hack/spec/mcm.md 6.11). */
function drainOperation(view: MachineView): Operation | undefined {
  const { message } = emptyingTrouble(view);
  return message === undefined ? undefined : { type: 'DrainNode', state: 'Processing', description: message };
}

/** The recorded operation of a failure that was reported already stays: another process may not know its code. */
function failedOperation(view: MachineView, decision: Decision<MachineAction>): Operation | undefined {
  const { machine } = view;
  const isTold = phaseOf(machine) === 'Failed' && machine.status?.errorReason === reasonOf(decision);
  if (isTold || decision.outcome.kind !== 'fail') return undefined;
  const description = `Machine ${machine.metadata.name} failed: ${decision.outcome.message}`;
  if (reasonOf(decision) === 'CreationTimedOut') return createFailed(description, view);
  if (decision.step === 'InPlaceUpdated') return { type: 'InPlaceUpdate', state: 'Failed', description };
  return { type: hasJoined(view) ? 'HealthCheck' : 'Create', state: 'Failed', description };
}

const createFailed = (what: string, view: MachineView): Operation => ({
  type: 'Create',
  state: 'Failed',
  ...withFailure(what, makingFailure(view)),
});

/** What failed last on the way to a VM that is done. */
export const makingFailure = ({ calls }: MachineView): CallFailure | undefined => failureOf(calls, MAKING);

function joinedOperation({ metadata: { name }, status }: Machine): Operation {
  const last = status?.lastOperation;
  const first = !last || (last.type === 'Create' && last.state !== 'Successful');
  return first
    ? { type: 'Create', state: 'Successful', description: `Machine ${name} successfully joined the cluster` }
    : { type: 'HealthCheck', state: 'Successful', description: `Machine ${name} successfully re-joined the cluster` };
}

/** What goes on, and what the driver says against it. */
const withFailure = (what: string, failure: CallFailure | undefined): Pick<Operation, 'description' | 'errorCode'> =>
  failure
    ? { description: `${what}. Cloud provider message - ${failure.message}`, errorCode: failure.code }
    : { description: what };

/** Keeps the old time when nothing but the time would change, so that the same news is written once. */
export function dated(before: Operation | undefined, next: Operation, timestamp: string): Operation {
  const same =
    before !== undefined &&
    before.type === next.type &&
    before.state === next.state &&
    before.description === next.description &&
    (before.errorCode ?? '') === (next.errorCode ?? '');
  return { ...next, lastUpdateTime: same ? before.lastUpdateTime : timestamp };
}

/** The phase of a living Machine after a decision of the step, from that of before. */
type PhaseOfStep = (before: string, view: MachineView) => Phase;

const asBefore: PhaseOfStep = (before) => before as Phase;

const whileMade =
  (otherwise: PhaseOfStep): PhaseOfStep =>
  (before, view) =>
    makingFailure(view) ? 'CrashLoopBackOff' : otherwise(before, view);

const whileUnhealthy: PhaseOfStep = (before) => {
  if (before === 'Failed') return 'Failed';
  return rowOf(before).falls ? 'Unknown' : 'Pending';
};

/** What each step makes of the phase: a new one has to say so. */
const phases: Readonly<Record<LiveStep, PhaseOfStep>> = {
  Paused: asBefore,
  SpecValid: asBefore,
  ClassReady: asBefore,
  FieldsSupported: asBefore,
  FinalizerAdded: asBefore,
  ClassRecorded: asBefore,
  ClusterReachable: asBefore,
  PreservationApplied: asBefore,
  VMCreated: whileMade(asBefore),
  VMClaimed: asBefore,
  VMInitialized: whileMade(() => 'Pending'),
  VMUpToDate: asBefore,
  NodeRegistered: () => 'Pending',
  DeletionNotRequested: asBefore,
  NodeSynced: asBefore,
  InPlaceUpdated: asBefore,
  NodeHealthy: whileUnhealthy,
  StartupTaintRemoved: asBefore,
};

/** The phase of the Machine after a decision (hack/spec/mcm.md 6.2 to 6.7). */
export function phaseAfter(view: MachineView, { step, outcome, held }: Decision<MachineAction>): Phase {
  const before = phaseOf(view.machine);
  if (view.machine.metadata.deletionTimestamp) return 'Terminating';
  if (held !== undefined) return before as Phase;
  if (outcome.kind === 'fail' && FATAL.has(outcome.reason)) return 'Failed';
  if (step === RECONCILED) return view.node.at === 'none' ? 'Available' : 'Running';
  const updating = 'reason' in outcome && UPDATE_PHASES[outcome.reason];
  return updating || (Object.hasOwn(phases, step) ? phases[step as LiveStep] : asBefore)(before, view);
}
