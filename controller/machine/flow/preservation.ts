import {
  ANNOTATION_PRESERVE,
  ANNOTATION_PRESERVE_APPLIED,
  ANNOTATION_SCALE_DOWN_DISABLED,
  ANNOTATION_SCALE_DOWN_DISABLED_BY_MCM,
  TAINT_PRESERVED,
} from '../../../schemas/keys.ts';
import type { PreserveValue } from '../../../schemas/rules/machine.ts';
import { act, pass } from '../../flow/flow.ts';
import { expiryOf, nodeDecides, preserveValue } from '../../model/machine.ts';
import { phaseOf } from '../../model/phases.ts';
import { conditionAt, lacking, type NodeChange } from '../../nodes/change.ts';
import { scaleDownDisabled } from '../../nodes/scaledowndisabled.ts';
import { conditionOf, type Node } from '../../runtime/k8s/core.ts';
import { timestamp } from '../../runtime/k8s/object.ts';
import type { Answer } from './drivercall.ts';
import { DRAINING, type Emptying, emptyingOf, isForced, mayForce, PRESERVED_CONDITION } from './livedrain.ts';
import type { MachineView, NodeCondition } from './view.ts';

/** What is due: keep the machine, end that, end it and take the wish away, or leave all as it is. */
type Verdict = 'keep' | 'stop' | 'forget' | 'leave';

/** Why the condition is False once preservation has ended. */
const STOPPED = 'Preservation stopped.';
const TAINT = { key: TAINT_PRESERVED, effect: 'NoSchedule' };

/** The Node shows what is asked of the machine's preservation. Only acts or passes, so it holds up nothing. */
export function preservationApplied(view: MachineView): Answer {
  const verdict = verdictOf(view, phaseOf(view.machine));
  if (verdict === 'leave') return pass;
  const pending = verdict === 'keep' ? keeping(view) : ending(view, verdict);
  return pending ?? (verdict === 'forget' ? pass : handedOver(view));
}

/**
 * When the machine's preservation ends, as the status shall say, if it is in this phase: decided with the phase, so that
 * there is no moment in which a Failed machine is unprotected. It is taken back last, once nothing else is left.
 */
export function expiryTime(view: MachineView, phase: string): string | undefined {
  const before = view.machine.status?.currentStatus?.preserveExpiryTime ?? undefined;
  if (phase === 'Terminating') return undefined;
  const verdict = verdictOf(view, phase);
  if (verdict === 'leave') return before;
  if (verdict === 'keep') return before ?? timestamp(view.now + view.limits.preserve);
  // A Failed machine whose time is over is its set's to delete: without the time it could be taken for a new failure.
  if (phase === 'Failed' && isExpired(view)) return before;
  return ending(view, verdict) ? before : undefined;
}

/** Failed, and kept to be looked at, if it is in this phase. */
export const isKept = (view: MachineView, phase: string): boolean =>
  phase === 'Failed' && Date.parse(expiryTime(view, phase) ?? '') > view.now;

/** Milliseconds until preservation ends; Infinity when it does not. */
export function preservationLeft({ machine, now }: MachineView): number {
  const left = expiryOf(machine) - now;
  return left > 0 ? left : Infinity;
}

const presentNode = ({ node }: MachineView): Node | undefined => (node.at === 'present' ? node.object : undefined);
const isExpired = ({ machine, now }: MachineView): boolean => expiryOf(machine) <= now;

/** The table of hack/spec/mcm.md 6.12, row by row. */
function verdictOf(view: MachineView, phase: string): Verdict {
  const value = preserveValue(view.machine, presentNode(view));
  const expired = isExpired(view);
  const failed = phase === 'Failed';
  switch (value) {
    case undefined:
      return 'leave';
    case '':
    case 'false':
      return 'stop';
    case 'when-failed':
      if (expired) return 'forget';
      return failed ? 'keep' : 'stop';
    case 'now':
      return expired ? 'forget' : 'keep';
    case 'auto-preserved':
      return expired || !failed ? 'forget' : 'keep';
  }
}

/** Until the time is in the status nothing is done: it comes with this pass. */
function keeping(view: MachineView): Answer | undefined {
  const node = presentNode(view);
  const until = view.machine.status?.currentStatus?.preserveExpiryTime;
  if (!node || !until) return undefined;
  const emptying = emptyingOf(view);
  const change = lacking(node, { ...preserved(view, node), condition: keptCondition(view, { node, until, emptying }) });
  if (change) return act('PreserveNode', { do: 'changeNode', change });
  return emptying?.at === 'going' ? emptying.answer : undefined;
}

/** No scale-down, and no new pods while the machine is Failed. */
function preserved(view: MachineView, node: Node): NodeChange {
  const taints = phaseOf(view.machine) === 'Failed' ? { add: [TAINT] } : { remove: [TAINT] };
  return { taints, ...scaleDownDisabled(node) };
}

/** What the Node's condition tells of preservation. */
interface Kept {
  node: Node;
  until: string;
  emptying: Emptying | undefined;
}

function keptCondition(view: MachineView, { node, until, emptying }: Kept) {
  const drain = phaseOf(view.machine) === 'Failed' ? drainState(view, node, emptying) : '';
  const status = drain === NOT_DRAINED ? 'False' : 'True';
  const message = `${drain && `${drain} `}${preservedUntil(until)}`;
  const condition = { type: PRESERVED_CONDITION, status, reason: reasonToKeep(view, node), message };
  return conditionAt(node, condition, timestamp(view.now));
}

const preservedUntil = (until: string): string => `Machine preserved until ${until}.`;

function reasonToKeep({ machine }: MachineView, node?: Node): string {
  const byUs: PreserveValue = 'auto-preserved';
  return preserveValue(machine, node) === byUs ? 'Preserved by MCM.' : 'Preserved by user.';
}

/**
 * Conditions of a machine without a Node, and whether it is preserved as it is now: a Node says that in a condition, which the machine
 * mirrors, and in MCM without one nothing but the time does (hack/decisions/0051 U45).
 * @param phase the phase that the status shall have
 */
export function withPreserved(view: MachineView, known: readonly NodeCondition[], phase: string): NodeCondition[] {
  const before = known.find(({ type }) => type === PRESERVED_CONDITION);
  const until = expiryTime(view, phase) ?? '';
  const kept = Date.parse(until) > view.now;
  if (view.node.at === 'unknown' || (!kept && before?.status !== 'True')) return [...known];
  const others = known.filter((condition) => condition !== before);
  return [...others, preservedCondition(view, before, kept ? until : undefined)];
}

function preservedCondition(view: MachineView, before: NodeCondition | undefined, until?: string): NodeCondition {
  const status = until ? 'True' : 'False';
  const lastTransitionTime = before?.status === status ? before.lastTransitionTime : timestamp(view.now);
  const told = until ? { reason: reasonToKeep(view), message: preservedUntil(until) } : { reason: STOPPED };
  return { type: PRESERVED_CONDITION, status, lastTransitionTime, ...told };
}

const DRAINED = 'Preserved node drained successfully.';
const NOT_DRAINED = 'Preserved node could not be drained.';

/** The Node of a Failed machine is drained once; how far that is stands in the condition's message (hack/spec/mcm.md 6.12 4, 5). */
function drainState(view: MachineView, node: Node, emptying: Emptying | undefined): string {
  const told = conditionOf(node, PRESERVED_CONDITION);
  const said = told?.reason === STOPPED ? '' : (told?.message ?? '');
  for (const end of [DRAINED, NOT_DRAINED]) if (said.startsWith(end)) return end;
  const begun = said.startsWith(DRAINING.gently);
  if (begun && emptying?.at === 'ended') return emptying.left === 0 ? DRAINED : NOT_DRAINED;
  const force = isForced({ message: said }) || mayForce(view, node);
  return `${force ? DRAINING.byForce : DRAINING.gently}.`;
}

/** What is still to be taken back, the Node first. */
function ending(view: MachineView, verdict: 'stop' | 'forget'): Answer | undefined {
  const { machine } = view;
  const node = presentNode(view);
  const begun = machine.status?.currentStatus?.preserveExpiryTime;
  const change = node && begun && lacking(node, released(view, node, verdict));
  if (change) return act('EndPreservation', { do: 'changeNode', change });
  const keys = [ANNOTATION_PRESERVE, ANNOTATION_PRESERVE_APPLIED];
  const left = keys.filter((key) => machine.metadata.annotations?.[key] !== undefined);
  if (verdict === 'stop' || left.length === 0) return undefined;
  return act('RemovePreserveAnnotations', {
    do: 'annotate',
    annotations: Object.fromEntries(left.map((key) => [key, null])),
  });
}

function released(view: MachineView, node: Node, verdict: 'stop' | 'forget'): NodeChange {
  const told = { type: PRESERVED_CONDITION, status: 'False', reason: STOPPED };
  const ours = node.metadata.annotations?.[ANNOTATION_SCALE_DOWN_DISABLED_BY_MCM] !== undefined;
  const scaleDown = ours && { [ANNOTATION_SCALE_DOWN_DISABLED]: null, [ANNOTATION_SCALE_DOWN_DISABLED_BY_MCM]: null };
  const wish = verdict === 'forget' && { [ANNOTATION_PRESERVE]: null };
  return {
    annotations: { ...scaleDown, ...wish },
    taints: { remove: [TAINT] },
    ...(conditionOf(node, PRESERVED_CONDITION) && { condition: conditionAt(node, told, timestamp(view.now)) }),
  };
}

/** Where the Node decides, the machine remembers its word and has none of its own. */
function handedOver({ machine, ...view }: MachineView): Answer {
  const node = view.node.at === 'present' ? view.node.object : undefined;
  const { annotations } = machine.metadata;
  if (!node || !nodeDecides(annotations, node)) return pass;
  const word = node.metadata.annotations?.[ANNOTATION_PRESERVE] ?? null;
  const settled =
    (annotations?.[ANNOTATION_PRESERVE_APPLIED] ?? null) === word && annotations?.[ANNOTATION_PRESERVE] === undefined;
  if (settled) return pass;
  return act('RecordPreserveValue', {
    do: 'annotate',
    annotations: { [ANNOTATION_PRESERVE]: null, [ANNOTATION_PRESERVE_APPLIED]: word },
  });
}
