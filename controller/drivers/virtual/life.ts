import { act, type Decision, decide, fail, pass, type Steps, wait } from '../../flow/flow.ts';
import type { Condition, Node } from '../../runtime/k8s/core.ts';
import { conditionOf } from '../../runtime/k8s/core.ts';
import type { Pod } from '../../runtime/k8s/workload.ts';
import { isSilence, NOT_READY_TAINT } from './node.ts';
import { heartbeatMs, isBroken, momentsOf, providerIDOf, stateOf, type Vm, type VmState } from './vm.ts';

/** A VM, what its cluster shows of it, and the time. */
export interface LifeView {
  vm: Vm;
  /** The Node of the VM's name. */
  node: Node | undefined;
  /** When its Lease was last renewed; absent when it has none. */
  lastBeat: number | undefined;
  now: number;
  /** Pods of the Node that have been asked to leave. */
  leaving: readonly Pod[];
  /** There is a cluster for VMs to join. */
  joins: boolean;
}

/** What happens to a VM or its Node. */
export type LifeAction =
  /** The VM is gone without anybody's doing. */
  | { do: 'vanish' }
  /** Its deletion is over. */
  | { do: 'end' }
  /** The store shows how the VM stands. */
  | { do: 'record'; state: VmState }
  | { do: 'register' }
  /** The Node is not Ready any more. */
  | { do: 'silence'; node: Node }
  /** The Node is Ready again. */
  | { do: 'report'; node: Node }
  /** Pods have come to their end. */
  | { do: 'endPods'; pods: readonly Pod[] }
  /** Admission's taint goes. */
  | { do: 'untaint'; node: Node }
  /** The Lease is renewed, and the Node is Ready. */
  | { do: 'beat'; node: Node };

/** How long a node life-cycle controller, if there is one, is given to take the not-ready taint off. */
const UNTAINT_AFTER_MS = 2_000;

/** What a virtual VM goes through, from its creation to its last heart-beat. */
export const life: Steps<LifeView, LifeAction> = {
  Kept: ({ vm, now }) => (now >= momentsOf(vm).ends ? act('Ends', { do: 'end' }) : pass),
  Spared: ({ vm, now }) => (now >= momentsOf(vm).vanishes ? act('Vanishes', { do: 'vanish' }) : pass),
  Recorded: ({ vm, now }) => {
    const state = stateOf(vm, now);
    return state === vm.state ? pass : act('StateChanged', { do: 'record', state });
  },
  PoweredOn: ({ vm }) => (vm.deleting === undefined ? pass : wait('BeingDeleted', Number.POSITIVE_INFINITY)),
  Sound: ({ vm, node, now }) => {
    if (!isBroken(vm, now)) return pass;
    if (isNodeOf(vm, node) && !isSilence(readyOf(node))) return act('Broken', { do: 'silence', node });
    return wait('Broken', Number.POSITIVE_INFINITY);
  },
  Joining: ({ vm, now, joins: joinable }) => {
    if (!joinable) return wait('NoCluster', Number.POSITIVE_INFINITY);
    const { joins } = momentsOf(vm);
    return now >= joins ? pass : wait('NotYet', joins - now);
  },
  Registered: ({ vm, node }) => {
    if (!node) return act('NoNode', { do: 'register' });
    return isNodeOf(vm, node) ? pass : fail('ForeignNode', `Node ${vm.nodeName} is another's`);
  },
  Reporting: ({ node }) => (node && isSilence(readyOf(node)) ? act('Recovered', { do: 'report', node }) : pass),
  PodsEnded: ({ leaving }) => (leaving.length > 0 ? act('PodsLeave', { do: 'endPods', pods: leaving }) : pass),
  Beating: (view) => {
    const { node, now } = view;
    return node && now >= nextBeat(view) ? act('NextBeat', { do: 'beat', node }) : pass;
  },
  Untainted: ({ node, now }) => {
    const ready = readyOf(node);
    if (!node || ready?.status !== 'True' || !isTainted(node)) return pass;
    const dueIn = Date.parse(ready.lastTransitionTime ?? '') + UNTAINT_AFTER_MS - now;
    return dueIn > 0 ? wait('AdmissionTaint', dueIn) : act('AdmissionTaint', { do: 'untaint', node });
  },
};

/** What decides about a VM now, and after how many milliseconds to look again if nothing changes. */
export function judge(view: LifeView): Decision<LifeAction> & { after: number } {
  const decision = decide(life, view);
  const waits = decision.outcome.kind === 'wait' ? decision.outcome.ms : Number.POSITIVE_INFINITY;
  const ahead = [...Object.values(momentsOf(view.vm)), nextBeat(view)].map((moment) => moment - view.now);
  return { ...decision, after: Math.min(waits, ...ahead.filter((ms) => ms > 0)) };
}

/** When the next heart-beat is due; Infinity for a VM that does not beat. */
function nextBeat({ vm, lastBeat }: LifeView): number {
  const everyMs = heartbeatMs(vm);
  if (everyMs === 0) return Number.POSITIVE_INFINITY;
  return lastBeat === undefined ? 0 : lastBeat + everyMs;
}

/** Whether a Node is that of this VM. */
export const isNodeOf = ({ uid }: Pick<Vm, 'uid'>, node: Node | undefined): node is Node =>
  node?.spec?.providerID === providerIDOf(uid);

/** The Ready condition of a Node. */
export const readyOf = (node: Node | undefined): Condition | undefined => node && conditionOf(node, 'Ready');

const isTainted = ({ spec }: Node): boolean => spec?.taints?.some(({ key }) => key === NOT_READY_TAINT) ?? false;
