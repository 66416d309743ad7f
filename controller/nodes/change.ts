import { ANNOTATION_CORDONED, ANNOTATION_PRESERVE, NODE_FINALIZER } from '../../schemas/keys.ts';
import type { Condition, Node, Taint } from '../runtime/k8s/core.ts';
import { isSameAmount } from './quantity.ts';

/** What is to be different at a Node; what is not named stays as others left it. */
export interface NodeChange {
  /** Keys with their values; null takes a key off. */
  labels?: Readonly<Record<string, string | null>>;
  annotations?: Readonly<Record<string, string | null>>;
  unschedulable?: boolean;
  /** Taints are told apart by key and effect, as the API server does. */
  taints?: { add?: readonly Taint[]; remove?: readonly Taint[] };
  /** A condition to write, or one to take off. */
  condition?: Condition | { type: string; gone: true };
  /** Quantities of the status by resource; null takes one off. */
  capacity?: Readonly<Record<string, string | null>>;
}

/** The part of the change that the Node does not show yet; undefined when it shows all of it. */
export function lacking({ metadata, spec, status }: Node, change: NodeChange): NodeChange | undefined {
  const labels = changedKeys(metadata.labels, change.labels);
  const annotations = changedKeys(metadata.annotations, change.annotations);
  const cordon = change.unschedulable !== undefined && change.unschedulable !== (spec?.unschedulable ?? false);
  const taints = change.taints && taintsAfter(spec?.taints ?? [], change.taints) !== undefined;
  const condition = change.condition && !showsCondition(status?.conditions ?? [], change.condition);
  const capacity = changedKeys(status?.capacity, change.capacity, isSameAmount);
  if (!(labels || annotations || cordon || taints || condition || capacity)) return undefined;
  return {
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    ...(cordon && { unschedulable: change.unschedulable }),
    ...(taints && { taints: change.taints }),
    ...(condition && { condition: change.condition }),
    ...(capacity && { capacity }),
  };
}

/** The merge patch of metadata and spec; undefined when the change is about the status alone. */
export function objectPatch(
  node: Node,
  { labels, annotations, unschedulable, taints }: NodeChange,
): object | undefined {
  const list = taints && taintsAfter(node.spec?.taints ?? [], taints);
  const spec = {
    ...(unschedulable !== undefined && { unschedulable: unschedulable || null }),
    ...(list && { taints: list }),
  };
  const metadata = { ...(labels && { labels }), ...(annotations && { annotations }) };
  if (Object.keys(spec).length + Object.keys(metadata).length === 0) return undefined;
  const { uid, resourceVersion } = node.metadata;
  // The list of taints is written whole, and a cordon is taken for ours: the version makes sure that nobody else's is lost,
  // nor a wish to preserve the machine that came just before the old one is taken off.
  const isBound =
    list !== undefined ||
    unschedulable === false ||
    annotations?.[ANNOTATION_CORDONED] !== undefined ||
    annotations?.[ANNOTATION_PRESERVE] === null;
  return { metadata: { ...metadata, uid, ...(isBound && { resourceVersion }) }, spec };
}

/** The strategic merge patch of the status; undefined when the change is not about it. */
export function statusPatch({ metadata: { uid } }: Node, { condition, capacity }: NodeChange): object | undefined {
  if (!condition && !capacity) return undefined;
  const status = { ...(condition && { conditions: [conditionEntry(condition)] }), ...(capacity && { capacity }) };
  return { metadata: { uid }, status };
}

const conditionEntry = (condition: NonNullable<NodeChange['condition']>): object =>
  'gone' in condition ? { $patch: 'delete', type: condition.type } : condition;

/** A condition with its times: the transition is now if the status is another than the Node shows. Old words do not stay. */
export function conditionAt(
  { status }: Node,
  { type, status: is, reason = '', message = '' }: Pick<Condition, 'type' | 'status' | 'reason' | 'message'>,
  now: string,
): Condition {
  const old = status?.conditions?.find((condition) => condition.type === type);
  const lastTransitionTime = old?.status === is ? (old.lastTransitionTime ?? now) : now;
  return { type, status: is, reason, message, lastTransitionTime, lastHeartbeatTime: now };
}

/** The reason that a condition of the Node gives; undefined when the Node has no such condition. */
export const conditionOf = ({ status }: Node, type: string): Condition | undefined =>
  status?.conditions?.find((condition) => condition.type === type);

function changedKeys(
  there: Readonly<Record<string, string>> = {},
  wanted: Readonly<Record<string, string | null>> | undefined,
  isSame: (a: string, b: string) => boolean = (a, b) => a === b,
): Record<string, string | null> | undefined {
  if (!wanted) return undefined;
  const changed = Object.entries(wanted).filter(([key, value]) => {
    const old = there[key] ?? null;
    return old === null || value === null ? old !== value : !isSame(old, value);
  });
  return changed.length > 0 ? Object.fromEntries(changed) : undefined;
}

/** The list of taints after the change, undefined when it is the one that is there. */
function taintsAfter(there: readonly Taint[], { add = [], remove = [] }: NonNullable<NodeChange['taints']>) {
  if (add.length === 0 && there.length === 0) return undefined;
  const missing = add.filter((taint) => !there.some((one) => isSameTaint(one, taint) && saysAsMuch(one, taint)));
  const obsolete = (taint: Taint) => [...missing, ...remove].some((one) => isSameTaint(one, taint));
  const kept = there.filter((taint) => !obsolete(taint));
  return missing.length > 0 || kept.length < there.length ? [...kept, ...missing] : undefined;
}

/** Of one key and effect: a Node carries one of them at most. */
export const isSameTaint = (a: Taint, b: Taint): boolean => a.key === b.key && a.effect === b.effect;

/** No value and an empty one are the same; a time counts only where one is wanted. */
const saysAsMuch = (there: Taint, wanted: Taint): boolean =>
  (there.value ?? '') === (wanted.value ?? '') &&
  (!wanted.timeAdded || Date.parse(there.timeAdded ?? '') === Date.parse(wanted.timeAdded));

/** Times do not count: a condition that says the same is not written again. */
function showsCondition(there: readonly Condition[], wanted: NonNullable<NodeChange['condition']>): boolean {
  const old = there.find(({ type }) => type === wanted.type);
  if ('gone' in wanted) return old === undefined;
  return (
    old?.status === wanted.status &&
    (old.reason ?? '') === (wanted.reason ?? '') &&
    (old.message ?? '') === (wanted.message ?? '')
  );
}

/** The Node is being deleted, and stays for MCM's finalizer. */
export const isHeldByMcm = ({ metadata }: Node): boolean =>
  metadata.deletionTimestamp !== undefined && (metadata.finalizers?.includes(NODE_FINALIZER) ?? false);
