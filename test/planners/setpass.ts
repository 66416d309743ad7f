import { plan } from '../../controller/machineset/flow/flow.ts';
import { statusOf } from '../../controller/machineset/flow/status.ts';
import { newMachine } from '../../controller/machineset/flow/template.ts';
import type { MachineSetAction, MachineSetView } from '../../controller/machineset/flow/view.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import type { Herd } from './herd.ts';

/** One pass over each of these sets: all of them look before the first of them acts. */
export function setPasses(herd: Herd, sets: readonly MachineSet[]): void {
  const views = sets.map((set) => herd.setView(set));
  for (const act of views.map((view) => planned(herd, view))) act();
}

/** The real plan, and how to carry it out. */
function planned(herd: Herd, view: MachineSetView): () => void {
  const { outcome } = plan(view);
  const tell = () => herd.patchSet(view.set, { status: statusOf(view, undefined, herd.timestamp) });
  if (outcome.kind !== 'act') return tell;
  const { action } = outcome;
  return () => {
    if (action.do === 'delete') tell();
    carryOut(herd, view, action);
  };
}

function carryOut(herd: Herd, view: MachineSetView, action: MachineSetAction): void {
  switch (action.do) {
    case 'create':
      for (const name of action.names)
        if (herd.machines.length < herd.quota) herd.machines.push(born(herd, newMachine(view, name)));
      return;
    case 'delete':
      for (const machine of action.machines) remove(herd, machine);
      return;
    default:
      throw new Error(`nothing here leads to: ${action.do}`);
  }
}

function born(herd: Herd, machine: Machine): Machine {
  const metadata = { ...machine.metadata, uid: herd.uid(), creationTimestamp: herd.timestamp };
  return { ...machine, metadata, status: { currentStatus: { phase: 'Pending', lastUpdateTime: herd.timestamp } } };
}

/** It keeps what its class remembers of why it was given up, as the machine controller does. */
function remove(herd: Herd, machine: Machine): void {
  const status = { errorReason: null, currentStatus: { phase: 'Terminating', lastUpdateTime: herd.timestamp } };
  herd.patchMachine(machine, { metadata: { deletionTimestamp: herd.timestamp }, status });
}
