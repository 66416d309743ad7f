import { act, pass } from '../../flow/flow.ts';
import { lacking } from '../../nodes/change.ts';
import type { Answer } from './drivercall.ts';
import { healthy } from './health.ts';
import type { MachineView } from './view.ts';

/**
 * The taint with which the kubelet registered is off (source 2.4), so that pods land. It goes with whatever else the Node
 * lacks, in one write; this is for a Node of which that write is refused. Only acts or passes.
 */
export function opened(view: MachineView): Answer {
  const { node, startupTaint } = view;
  if (node.at !== 'present' || !startupTaint || !isOpening(view)) return pass;
  const change = lacking(node.object, { taints: { remove: [startupTaint] } });
  return change ? act('RemoveStartupTaint', { do: 'changeNode', change }) : pass;
}

/** The Machine begins to run, for the first time, again, or with a Node that registered anew; later the taint is anybody's. */
export function isOpening(view: MachineView): boolean {
  const { node, machine } = view;
  if (node.at !== 'present' || healthy(view).kind !== 'pass') return false;
  const runs = machine.status?.currentStatus?.phase === 'Running' && machine.status.nodeRef?.uid === node.uid;
  return !runs;
}
