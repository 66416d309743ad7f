import { at, BORN, inPhase, node } from '../../../test/fixtures/objects.ts';
import { idle, readyNode, recorded, view, vm } from './view.fixture.ts';
import type { MachineView, NodeFact } from './view.ts';

/** Keys of preservation, and moments of the views. */
export const KEY = 'node.machine.sapcloud.io/preserve';
export const APPLIED = 'node.machine.sapcloud.io/last-applied-node-preserve-value';
export const SCALE_DOWN_DISABLED = 'cluster-autoscaler.kubernetes.io/scale-down-disabled';
export const BY_US = 'cluster-autoscaler.kubernetes.io/scale-down-disabled-by-mcm';
export const TAINT = { key: 'node.machine.sapcloud.io/preserved', effect: 'NoSchedule' };
export const LATER = at(3_600);
export const PAST = at(30);
export const NOW = BORN + 60_000;

/** How preservation stands. */
export interface Case {
  phase?: string;
  /** On the Machine. */
  own?: Record<string, string>;
  /** On the Node; undefined: there is no Node. */
  onNode?: Record<string, string> | undefined;
  expiry?: string;
  node?: Parameters<typeof node>[0];
}

/** A view of a machine with a VM and a Node, of which this is said. */
export function seen({ phase = 'Running', own = {}, expiry, ...rest }: Case): MachineView {
  const status = { currentStatus: { preserveExpiryTime: expiry } };
  const machine = inPhase(phase, 0, {
    ...recorded,
    metadata: { ...recorded.metadata, annotations: own },
    ...(expiry && { status }),
  });
  const absent = 'onNode' in rest && rest.onNode === undefined;
  const object = node({
    ...rest.node,
    metadata: { ...rest.node?.metadata, annotations: { ...rest.node?.metadata?.annotations, ...rest.onNode } },
  });
  const fact: NodeFact = absent ? { at: 'absent' } : { ...readyNode, object, ready: phase !== 'Failed' };
  return view({ machine, vm, calls: { ...idle, askedAt: NOW }, node: fact });
}
