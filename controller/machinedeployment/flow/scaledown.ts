import {
  ANNOTATION_MARKED,
  ANNOTATION_PRIORITY,
  ANNOTATION_SCALED_BY_SCALER,
  ANNOTATION_TRIGGER_DELETION,
} from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import type { MachineDeployment } from '../../../schemas/machinedeployment.ts';
import { isTime, victimIn } from '../../../schemas/rules/time.ts';
import { act, named, type Outcome, pass } from '../../flow/flow.ts';
import { timestamp } from '../../runtime/k8s/object.ts';
import type { Reason } from './reasons.ts';
import type { MachineDeploymentAction, MachineDeploymentView } from './view.ts';

/** Priority of a machine that a scaler wants to be gone (hack/spec/mcm.md 4.11). */
const FIRST_TO_GO = '1';

/** A machine that a scaler wants to be gone, and when it asked for that (RFC 3339). */
interface Victim {
  name: string;
  at: string;
}

/**
 * Machines that a scaler names are marked before the deployment is scaled, so that the sets delete these and no others
 * (hack/spec/mcm.md 4.11). An entry is dropped once its machine leaves, or is not the deployment's; not if it is Failed, as in MCM: such a one may be
 * preserved, and another one would go in its place (hack/decisions/0051 U20).
 */
export function victimsMarked(view: MachineDeploymentView): Outcome<MachineDeploymentAction, Reason> {
  const { [ANNOTATION_TRIGGER_DELETION]: text, [ANNOTATION_SCALED_BY_SCALER]: scaledAt } =
    view.deployment.metadata.annotations ?? {};
  const stamp = scaledAt !== undefined && isTime(scaledAt) ? scaledAt : timestamp(view.now);
  const staying = machinesOf(view);
  const victims = victimsIn(text ?? '', stamp).filter(({ name }) => staying.has(name));
  const { deleteMachines: chosen = [] } = view.deployment.spec;
  if (chosen.length > 0) return taken(view, victims, chosen);
  if (text === undefined) return pass;
  const list = listOf(victims);
  if (list !== text || list === '') return act('CleanUpVictims', { do: 'annotate', annotations: listed(list, stamp) });
  const marks = victims.flatMap(({ name, at }) => markOf(staying.get(name), at));
  return marks.length > 0 ? act('MarkVictims', { do: 'mark', marks }) : pass;
}

/** The list of the spec becomes entries of the annotation, in the write that removes it: nothing of it is done twice, or lost. */
function taken(
  view: MachineDeploymentView,
  before: readonly Victim[],
  chosen: readonly string[],
): Outcome<MachineDeploymentAction, Reason> {
  const at = timestamp(view.now);
  const staying = machinesOf(view);
  const wanted = new Set(chosen.filter((name) => staying.has(name)));
  const known = new Set(before.map(({ name }) => name));
  const more = [...wanted].filter((name) => !known.has(name)).map((name) => ({ name, at }));
  const fitting = fittingIn(roomBeside(view.deployment.metadata, before), more);
  const list = listOf([...before, ...fitting]);
  const action = { do: 'takeVictims', annotations: listed(list, at) } as const;
  const cut = more.length - fitting.length;
  const strangers = strangersIn(view, chosen);
  if (cut > 0) return act('CutVictims', action, [cutText(wanted.size - cut, wanted.size), ...strangers].join('; '));
  const [passedOver] = strangers;
  if (passedOver) return act('UnknownVictims', action, passedOver);
  return act(list ? 'MarkVictims' : 'CleanUpVictims', action);
}

/** What is said of names that no machine of the deployment has, not even one that leaves: others go in their place (hack/decisions/0051 U46). */
function strangersIn({ sets }: MachineDeploymentView, chosen: readonly string[]): string[] {
  const own = new Set(sets.flatMap(({ machines }) => machines.map(({ metadata }) => metadata.name)));
  const strangers = [...new Set(chosen)].filter((name) => !own.has(name));
  if (strangers.length === 0) return [];
  return [
    `passed over, for the deployment has no such machine: ${named(strangers)}; where replicas were lowered for them, others go`,
  ];
}

const cutText = (marked: number, named: number): string =>
  `${marked} of ${named} machines that spec.deleteMachines names are marked: annotations have no room for more names; name the others once these have gone`;

/** What the annotations of an object may have together, bytes (apimachinery validation.TotalAnnotationSizeLimitB), but for what others add. */
const MOST_BYTES = 240 * 1024;

/** What is left for entries beside these, bytes. */
function roomBeside({ annotations = {} }: MachineDeployment['metadata'], before: readonly Victim[]): number {
  const others = Object.entries(annotations).filter(([key]) => key !== ANNOTATION_TRIGGER_DELETION);
  return MOST_BYTES - Buffer.byteLength(others.flat().join('') + listOf(before));
}

/** Those at the beginning that have room. */
function fittingIn(room: number, victims: readonly Victim[]): Victim[] {
  let left = room;
  const end = victims.findIndex((victim) => {
    left -= Buffer.byteLength(entryOf(victim)) + 1;
    return left < 0;
  });
  return victims.slice(0, end < 0 ? victims.length : end);
}

const entryOf = ({ name, at }: Victim): string => `${name}~${at}`;
const listOf = (victims: readonly Victim[]): string => victims.map(entryOf).join(',');

/** The annotations that carry a list; an empty one is taken off. */
const listed = (list: string, stamp: string) => ({
  [ANNOTATION_TRIGGER_DELETION]: list || null,
  ...(list && { [ANNOTATION_SCALED_BY_SCALER]: stamp }),
});

/**
 * Entries `name~time`; one without a time was made when the scaler last scaled. What is malformed is dropped, and of several for one
 * machine the earliest stays.
 */
function victimsIn(text: string, stamp: string): Victim[] {
  const times = new Map<string, string>();
  for (const entry of text.split(',')) {
    const victim = victimIn(entry);
    if (!victim) continue;
    const { name, at = stamp } = victim;
    const before = times.get(name);
    if (before === undefined || Date.parse(at) < Date.parse(before)) times.set(name, at);
  }
  return [...times].map(([name, at]) => ({ name, at }));
}

/** Machines of the deployment that nobody has deleted yet, by name. */
const machinesOf = ({ sets }: MachineDeploymentView): ReadonlyMap<string, Machine> =>
  new Map(
    sets
      .flatMap(({ machines }) => machines)
      .filter(({ metadata }) => !metadata.deletionTimestamp)
      .map((machine) => [machine.metadata.name, machine]),
  );

/** What the machine's annotations lack; a time of an earlier wish stays. */
function markOf(machine: Machine | undefined, at: string) {
  const { [ANNOTATION_PRIORITY]: priority, [ANNOTATION_MARKED]: since = '' } = machine?.metadata.annotations ?? {};
  if (!machine || (priority === FIRST_TO_GO && isTime(since))) return [];
  return [
    { machine, annotations: { [ANNOTATION_PRIORITY]: FIRST_TO_GO, [ANNOTATION_MARKED]: isTime(since) ? since : at } },
  ];
}
