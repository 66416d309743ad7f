import { PRIORITY_OVERRIDES } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import { OVERRIDE_BOUNDS, priorityOverride } from '../../../schemas/rules/machine.ts';
import { type Decision, type EventTable, type Note, noteOf, reasonOf } from '../../flow/flow.ts';
import { phaseOf, rowOf } from '../../model/phases.ts';
import { foreignGone, leavesMember, leftMember, leftNode, othersVm } from '../flow/claim.ts';
import { classState, specState, supportState } from '../flow/classresolution.ts';
import { reasons } from '../flow/reasons.ts';
import { staysBehind } from '../flow/retention.ts';
import type { MachineAction, MachineView } from '../flow/view.ts';

type Status = NonNullable<Machine['status']>;

/** Events on Machines beside those of reasons. The first ones have the name of the phase that begins. */
export const events = {
  Available: { type: 'Normal', help: 'The VM is there; there is no cluster to join.' },
  Running: { type: 'Normal', help: 'The Node is ready, for the first time or again.' },
  Terminating: { type: 'Normal', help: 'The machine begins to leave.' },
  InPlaceUpdating: { type: 'Normal', help: 'The update in place begins.' },
  InPlaceUpdateSuccessful: { type: 'Normal', help: 'The update in place is done.' },
  VMUpdateFailed: { type: 'Warning', help: 'The driver did not bring the VM to the hot fields of its class.' },
  WriteRefused: {
    type: 'Warning',
    help: 'The API server refused a write: the event says of which step, and why.',
  },
  InvalidPriority: {
    type: 'Warning',
    help: 'The annotation for the priority is no number within its bounds, and ignored.',
  },
} as const satisfies EventTable;

/**
 * What a decision about a Machine makes worth telling once it is carried out: an action that its reason's row tells of,
 * else a new phase, and a new reason of which its row tells.
 * @param status what was written after the decision, if anything was
 */
export function newsOf(view: MachineView, decision: Decision<MachineAction>, status: Status | undefined): Note[] {
  const { outcome } = decision;
  if (outcome.kind === 'act')
    return noteOf(reasons, decision).map((note) => ({ ...note, ...told(view, outcome.action) }));
  return status ? [...phaseNews(view, status), ...reasonNews(view, decision, status)] : [];
}

/** What is wrong with a Machine that goes on all the same. */
export function complaints(view: MachineView): Note[] {
  const priority = priorityComplaint(view);
  const states = view.machine.spec?.providerID ? [specState(view), classState(view)] : [];
  const told = [...states, supportState(view)].filter((state) => state !== undefined);
  const notes = told.map(({ reason, message }): Note => ({ type: 'Warning', reason, note: message }));
  return priority ? [priority, ...notes] : notes;
}

/** What is wrong with the Machine's annotations, and ignored (hack/decisions/0000 5). */
function priorityComplaint({ machine: { metadata } }: MachineView): Note | undefined {
  if (priorityOverride(metadata.annotations) !== 'invalid') return undefined;
  const key = PRIORITY_OVERRIDES.find((name) => metadata.annotations?.[name] !== undefined);
  const { least, most } = OVERRIDE_BOUNDS;
  const note = `The annotation ${key} is ignored: "${metadata.annotations?.[key ?? '']}" is no integer from ${least} to ${most}`;
  return { type: events.InvalidPriority.type, reason: 'InvalidPriority', note };
}

/** The words of an action that is done. */
function told(view: MachineView, action: MachineAction): { note?: string } {
  if (action.do === 'recordVm') return { note: `VM ${action.providerID} is there, its Node is ${action.nodeName}` };
  if (action.do === 'deleteNode') return { note: `Node ${action.name} is deleted, for its VM is gone` };
  if (action.do !== 'removeFinalizer') return {};
  const { providerID } = view.machine.spec ?? {};
  if (view.claim.at === 'others') return { note: othersVm(view) };
  if (view.claim.at === 'foreign') return { note: foreignGone(view) };
  if (leavesMember(view)) return { note: leftMember(view) };
  if (staysBehind(view) && view.calls.retained) return { note: `VM ${providerID} stays, marked as left on purpose` };
  if (!providerID) return { note: 'Nothing is left: there was no VM' };
  return { note: `VM ${providerID} is gone, and ${leftNode(view) ?? 'nothing is left of it'}` };
}

function phaseNews(view: MachineView, status: Status): Note[] {
  const phase = status.currentStatus?.phase ?? '';
  const row = (events as EventTable)[phase];
  return row && phaseBefore(view) !== phase
    ? [{ type: row.type, reason: phase, note: described(status, row.help) }]
    : [];
}

function reasonNews(view: MachineView, decision: Decision<MachineAction>, status: Status): Note[] {
  const phase = status.currentStatus?.phase ?? '';
  if (rowOf(phase).unwished && phaseBefore(view) !== phase)
    return [{ type: 'Warning', reason: reasonOf(decision), note: described(status, phase) }];
  return isKnown(view, decision) ? [] : noteOf(reasons, decision);
}

/** The status shows this decision already, in the same words if it is one that needs somebody to act. */
function isKnown({ machine: { status } }: MachineView, decision: Decision<MachineAction>): boolean {
  const { outcome, step } = decision;
  const same = status?.currentStep?.name === step && status.currentStep.reason === reasonOf(decision);
  return same && (outcome.kind !== 'fail' || outcome.message === status.errorMessage);
}

const phaseBefore = ({ machine }: MachineView): string => phaseOf(machine);
const described = ({ lastOperation }: Status, otherwise: string): string => lastOperation?.description ?? otherwise;
