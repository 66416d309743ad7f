import { LABEL_PAUSED } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import { act, type Decision } from '../../flow/flow.ts';
import { phaseOf } from '../../model/phases.ts';
import { pauserOf, unpausedIn } from '../../model/readiness.ts';
import type { Effect, Effects, Gate, Gates, Gating } from '../../safety/outage/gate.ts';
import type { Answer } from './drivercall.ts';
import { FATAL, isForced } from './predicates.ts';
import { traitsOf } from './steptraits.ts';
import type { CalledMethod, MachineAction, MachineView } from './view.ts';

/**
 * What each action does to a Machine. A change of a Node counts as destructive: it may cordon or taint, and an unreachable target takes no
 * write.
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

/** What each method does that is called on a Machine's way, the likeliest first. */
const METHODS = {
  createMachine: 'makes',
  deleteMachine: 'destroys',
  getMachineStatus: 'harmless',
  initializeMachine: 'makes',
  claimMachine: 'makes',
  retainMachine: 'harmless',
} as const satisfies Record<CalledMethod, Effect>;

/** What a driver is called for on a Machine's way. */
export const called = Object.keys(METHODS) as readonly CalledMethod[];

/**
 * What each action waits for. Only a share of the workers may wait for a target's API server at a time; the answer of a driver enqueues the
 * key, and `nobody` writes nothing.
 */
export const asks: Readonly<Record<MachineAction['do'], 'control' | 'target' | 'driver' | 'nobody'>> = {
  addFinalizer: 'control',
  call: 'driver',
  cancelCall: 'nobody',
  makeToken: 'target',
  recordVm: 'control',
  changeNode: 'target',
  annotate: 'control',
  recordUpdate: 'control',
  update: 'driver',
  recordDeletion: 'control',
  drain: 'nobody',
  deleteAttachments: 'target',
  deleteNode: 'target',
  releaseNode: 'target',
  deleteMachine: 'control',
  // It lets a Node go first that stays.
  removeFinalizer: 'target',
};

/** How the gate treats Machines: while it is shut none becomes Failed, and those whose time-outs would run are held, with a reason. */
export const gating: Gating<MachineAction, MachineView> = { effects, judges };

function judges({ step, outcome }: Decision<MachineAction>, { machine }: MachineView): boolean {
  if (outcome.kind === 'wait') return traitsOf(step)?.timed ?? false;
  // A Machine that is Failed already stays so.
  return outcome.kind === 'fail' && FATAL.has(outcome.reason) && phaseOf(machine) !== 'Failed';
}

/**
 * A Machine that is deleted by force does not wait for an unreachable target cluster: somebody says that it will not come back. Its Node is
 * left to the sweep of Nodes.
 */
export function gateOfMachine(gates: Gates, machine: Machine): Gate & { abandoned?: true } {
  const gate = gates.of(machine);
  const leaves = machine.metadata.deletionTimestamp !== undefined && isForced(machine);
  if (gate.shut?.unreachable !== 'target' || !leaves) return gate;
  const { shut: _, ...rest } = gate;
  return { ...rest, abandoned: true };
}

/** The Machine and its Cluster are not paused. The label of the Machine names who paused it, and is removed otherwise (hack/spec/vm-operator.md 2.8). */
export function unpausedMachine({ machine, cluster, class: fact, refused }: MachineView): Answer {
  const by = pauserOf(machine, cluster.paused);
  const told = machine.metadata.labels?.[LABEL_PAUSED];
  // A Machine of another controller's is left alone, and a label that may not be written holds up nothing.
  const mayTell = fact.at !== 'foreign' && !refused.has('Paused');
  if (told !== by && mayTell) return act('LabelPause', { do: 'annotate', labels: { [LABEL_PAUSED]: by ?? null } });
  return unpausedIn(machine, cluster);
}
