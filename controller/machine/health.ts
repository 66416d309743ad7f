import { fail, pass, wait } from '../flow.ts';
import { type Answer, creationLeft, seconds } from './calling.ts';
import type { MachineView, NodeFact } from './view.ts';

/** The Node is well, or has time left to become so. */
export function healthy(view: MachineView): Answer {
  const { node } = view;
  if (node.at === 'none') return pass;
  if (node.at === 'present' && node.ready) {
    const first = !hasJoined(view);
    return first && node.critical ? wait('CriticalComponentsNotReady', creationLeft(view)) : pass;
  }
  const reason = node.at === 'present' ? 'NodeNotReady' : 'NodeMissing';
  if (!hasJoined(view)) {
    const left = creationLeft(view);
    return left > 0
      ? wait(reason, left)
      : fail('JoinTimedOut', `Node not ready within ${seconds(view.limits.creation)}`);
  }
  const left = healthLeft(view);
  if (left <= 0 && !view.machine.spec?.disableHealthTimeout)
    return fail('HealthTimedOut', `${reason} for ${seconds(view.limits.health)}`);
  return wait(reason, left > 0 ? left : Infinity);
}

/** Milliseconds until ill health counts as final, from the moment the phase became Unknown; a Failed Machine has none left. */
function healthLeft({ machine, now, limits }: MachineView): number {
  const current = machine.status?.currentStatus;
  if (current?.phase === 'Failed') return 0;
  const since = current?.phase === 'Unknown' ? Date.parse(current.lastUpdateTime ?? '') : now;
  return since + limits.health - now;
}

const JOINED_PHASES: ReadonlySet<string> = new Set([
  'Running',
  'Available',
  'Unknown',
  'InPlaceUpdating',
  'InPlaceUpdateSuccessful',
  'InPlaceUpdateFailed',
]);

/** The Machine was Running once: what follows is a matter of health, no longer of creation. */
export function hasJoined({ machine: { status } }: Pick<MachineView, 'machine'>): boolean {
  const phase = status?.currentStatus?.phase ?? '';
  return JOINED_PHASES.has(phase) || (phase === 'Failed' && status?.lastOperation?.type === 'HealthCheck');
}

/** The Node is there and well. */
export const isReady = (node: NodeFact): boolean => node.at === 'present' && node.ready;
