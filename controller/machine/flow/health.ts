import { ANNOTATION_TRIGGER_DELETION } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import { act, fail, pass, wait } from '../../flow/flow.ts';
import { type Answer, creationLeft, seconds } from './drivercall.ts';
import { clocksFrom } from './outage.ts';
import { hasJoined, hasVanished, lossOf } from './predicates.ts';
import type { MachineView, NodeFact } from './view.ts';

const GIVEN_UP_FROM: ReadonlySet<string> = new Set(['Running', 'Available', 'Unknown', 'InPlaceUpdateFailed']);

/** The Node is well, or has time left to become so. */
export function healthy(view: MachineView): Answer {
  const { node } = view;
  const kept = hasVanished(view) ? heldBack(view, lossOf(view)) : undefined;
  if (kept || node.at === 'none') return kept ?? pass;
  const first = !hasJoined(view);
  if (node.at === 'present' && node.ready && !(first && node.critical))
    return isSuspect(view)
      ? wait('HeartbeatsMissing', Infinity, `Node "${node.name}" is Ready, but no longer renews its Lease`)
      : pass;
  const reason = reasonOfIllHealth(node);
  if (first) {
    const left = creationLeft(view);
    return left > 0 ? wait(reason, left) : fail('JoinTimedOut', `${reason} within ${seconds(view.limits.creation)}`);
  }
  const left = healthLeft(view);
  if (left > 0 || view.machine.spec?.disableHealthTimeout) return wait(reason, left > 0 ? left : Infinity);
  const why = `${reason} for ${seconds(view.limits.health)}`;
  return heldBack(view, why) ?? fail('HealthTimedOut', why);
}

/** A silent Node makes a Machine that ran Unknown, and no more: what is wrong may be the Lease. */
const isSuspect = ({ node, machine }: MachineView): boolean =>
  node.at === 'present' && node.silent && SUSPECT.has(machine.status?.currentStatus?.phase ?? '');

const SUSPECT: ReadonlySet<string> = new Set(['Running', 'Unknown']);

/** The Machine is Unknown for its Node's silence alone: the clock of its health has not begun. */
export const wasSuspect = ({ status }: Machine): boolean => status?.deciding?.reason === 'HeartbeatsMissing';

/**
 * A Machine is given up only while the health of others allows it (MCM 6.6, decisions 7).
 * @param why what would end it
 */
export function heldBack({ hold }: MachineView, why: string): Answer | undefined {
  return hold && wait(hold.reason, hold.ms, `it would be replaced (${why}), but ${hold.says}`);
}

/** Of a Machine in this phase it may be decided that it is given up for ill health. */
export const mayBeGivenUp = ({ metadata, status }: Machine): boolean =>
  !metadata.deletionTimestamp && GIVEN_UP_FROM.has(status?.currentStatus?.phase ?? '');

function reasonOfIllHealth(node: NodeFact): 'CriticalComponentsNotReady' | 'NodeNotReady' | 'NodeMissing' {
  if (node.at !== 'present') return 'NodeMissing';
  return node.ready ? 'CriticalComponentsNotReady' : 'NodeNotReady';
}

/** Milliseconds until ill health counts as final, from the moment the phase became Unknown; a Failed Machine has none left. */
export function healthLeft({
  machine,
  now,
  limits,
  gate,
}: Pick<MachineView, 'machine' | 'now' | 'limits' | 'gate'>): number {
  const current = machine.status?.currentStatus;
  if (current?.phase === 'Failed') return 0;
  const ill = current?.phase === 'Unknown' && !wasSuspect(machine);
  const since = ill ? Math.max(Date.parse(current.lastUpdateTime ?? ''), clocksFrom({ machine, gate })) : now;
  return since + limits.health - now;
}

/** Nobody asks by an annotation of the Node that its Machine goes now; its set makes another (decisions 3). */
export function wanted({ node }: MachineView): Answer {
  const asked = node.at === 'present' && node.object.metadata.annotations?.[ANNOTATION_TRIGGER_DELETION] === 'true';
  return asked ? act('DeleteMachine', { do: 'deleteMachine' }) : pass;
}
