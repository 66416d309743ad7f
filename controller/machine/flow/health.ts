import { ANNOTATION_TRIGGER_DELETION } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import { act, fail, named, pass, wait } from '../../flow/flow.ts';
import { phaseRow } from '../../model/phases.ts';
import type { Node } from '../../runtime/k8s/core.ts';
import { type Answer, creationLeft, seconds } from './drivercall.ts';
import { clocksFrom } from './outage.ts';
import { hasJoined, hasVanished, lossOf } from './predicates.ts';
import type { MachineView, NodeCondition, NodeFact } from './view.ts';

/** The Node is well, or has time left to become so. */
export function nodeHealthy(view: MachineView): Answer {
  const { node } = view;
  const kept = hasVanished(view) ? heldBack(view, lossOf(view)) : undefined;
  if (kept || node.at === 'none') return kept ?? pass;
  const first = !hasJoined(view);
  if (node.at === 'present' && node.ready && !(first && node.critical))
    return isSuspect(view)
      ? wait('NodeLeaseExpired', Infinity, `Node "${node.name}" is Ready, but no longer renews its Lease`)
      : pass;
  const reason = reasonOfIllHealth(node);
  const ill = node.at === 'present' ? node.ill : undefined;
  if (first) {
    const left = creationLeft(view);
    return left > 0
      ? wait(reason, left, ill)
      : fail('RegistrationTimedOut', because(`${reason} within ${seconds(view.limits.creation)}`, ill));
  }
  const left = healthLeft(view);
  if (left > 0 || view.machine.spec?.disableHealthTimeout) return wait(reason, left > 0 ? left : Infinity, ill);
  const why = `${reason} for ${seconds(view.limits.health)}`;
  return heldBack(view, why) ?? fail('HealthTimedOut', because(why, ill));
}

/** What happened, and what the Node says: its Node goes with the machine, and these words stay. */
const because = (what: string, ill: string | undefined): string => (ill === undefined ? what : `${what}: ${ill}`);

/** A silent Node makes a Machine that ran Unknown, and no more: what is wrong may be the Lease. */
const isSuspect = ({ node, machine }: MachineView): boolean =>
  node.at === 'present' && node.silent && phaseRow(machine).suspected === true;

/** The Machine is Unknown for its Node's silence alone: the clock of its health has not begun. */
export const wasSuspect = ({ status }: Machine): boolean => status?.currentStep?.reason === 'NodeLeaseExpired';

/**
 * A Machine is given up only while the health of others allows it (hack/spec/mcm.md 6.6, hack/decisions/0000 7).
 * @param why what would end it
 */
export function heldBack({ hold }: MachineView, why: string): Answer | undefined {
  return hold && wait(hold.reason, hold.ms, `it would be replaced (${why}), but ${hold.message}`);
}

/** Of a Machine in this phase it may be decided that it is given up for being unhealthy. */
export const mayBeGivenUp = (machine: Machine): boolean =>
  !machine.metadata.deletionTimestamp && phaseRow(machine).endsInFailed === true;

function reasonOfIllHealth(node: NodeFact): 'CriticalComponentsNotReady' | 'NodeNotReady' | 'NodeNotFound' {
  if (node.at !== 'present') return 'NodeNotFound';
  return node.ready ? 'CriticalComponentsNotReady' : 'NodeNotReady';
}

/** Milliseconds left of the health time-out, which runs from when the phase became Unknown; 0 for a Failed Machine. */
export function healthLeft({
  machine,
  now,
  limits,
  gate,
}: Pick<MachineView, 'machine' | 'now' | 'limits' | 'gate'>): number {
  const current = machine.status?.currentStatus;
  if (current?.phase === 'Failed') return 0;
  const isUnhealthy = current?.phase === 'Unknown' && !wasSuspect(machine);
  const since = isUnhealthy ? Math.max(Date.parse(current.lastUpdateTime ?? ''), clocksFrom({ machine, gate })) : now;
  return since + limits.health - now;
}

/** No annotation of the Node requests the deletion of its Machine; its set makes another (hack/decisions/0000 3). */
export function deletionNotRequested({ node }: MachineView): Answer {
  const asked = node.at === 'present' && node.object.metadata.annotations?.[ANNOTATION_TRIGGER_DELETION] === 'true';
  return asked ? act('DeleteMachine', { do: 'deleteMachine' }) : pass;
}

/** So much of a word that a target's API server gives is told, characters. */
const LONGEST = 100;

/**
 * What speaks against the health of a Node, in words for people; undefined when nothing does: conditions are there, Ready is not denied,
 * and none of those that count is other than False (hack/spec/mcm.md 6.5 B, Annex B). Words that change with each heart-beat are left out.
 * @param watched types of conditions that count
 */
export function illnessOf({ status }: Node, watched: readonly string[]): string | undefined {
  const conditions = status?.conditions ?? [];
  if (conditions.length === 0) return 'its Node has no conditions yet';
  const against = conditions.filter((condition) => !isGood(condition, watched));
  return against.length === 0 ? undefined : named(against.map(wordsOf));
}

const isGood = ({ type, status }: NodeCondition, watched: readonly string[]): boolean =>
  type === 'Ready' ? status === 'True' : !watched.includes(type) || status === 'False';

function wordsOf({ type, status, reason }: NodeCondition): string {
  const said = `${brief(type)} is ${brief(status)}`;
  return reason ? `${said} (${brief(reason)})` : said;
}

const brief = (word: string): string => word.slice(0, LONGEST);
