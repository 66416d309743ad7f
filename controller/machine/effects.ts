import type { Decision } from '../flow.ts';
import type { Effects, Gating } from '../safety/gated.ts';
import { FATAL } from './fatal.ts';
import type { MachineAction, MachineView } from './view.ts';

/**
 * What each action does to a Machine. A change of a Node counts among those that take away: it may cordon or taint, and
 * a target that is away takes no write.
 */
export const effects: Effects<MachineAction, MachineView> = {
  addFinalizer: 'harmless',
  call: ({ method }) => METHODS[method],
  cancelCall: 'destroys',
  makeToken: 'makes',
  recordVm: 'harmless',
  changeNode: 'destroys',
  annotate: 'harmless',
  recordUpdate: 'harmless',
  update: 'makes',
  recordDeletion: 'destroys',
  drain: 'destroys',
  deleteAttachments: 'destroys',
  deleteNode: 'destroys',
  releaseNode: 'destroys',
  deleteMachine: 'destroys',
  removeFinalizer: 'destroys',
};

const METHODS = {
  getMachineStatus: 'harmless',
  createMachine: 'makes',
  initializeMachine: 'makes',
  retainMachine: 'harmless',
  claimMachine: 'makes',
  deleteMachine: 'destroys',
} as const;

/** Steps whose waits have a time-out: what a Node shows, or fails to show, does not count during an outage. */
const CLOCKED: ReadonlySet<string> = new Set([
  'Joined',
  'InPlaceUpdated',
  'Healthy',
  'Drained',
  'Detached',
  'VolumesReleased',
]);

/** How the gate treats Machines: while it is shut none becomes Failed, and those whose time-outs would run are held, with a reason. */
export const gating: Gating<MachineAction, MachineView> = { effects, judges };

function judges({ step, outcome }: Decision<MachineAction>, { machine }: MachineView): boolean {
  if (outcome.kind === 'wait') return CLOCKED.has(step);
  // A Machine that is Failed already stays so.
  return outcome.kind === 'fail' && FATAL.has(outcome.reason) && machine.status?.currentStatus?.phase !== 'Failed';
}
