import {
  ANNOTATION_CORDONED,
  ANNOTATION_PRESERVE,
  LABEL_CANDIDATE,
  LABEL_UPDATE_RESULT,
  LABEL_ZONE,
  NODE_FINALIZER,
} from '../../schemas/keys.ts';
import type { Condition, Node, Taint } from '../runtime/k8s/core.ts';
import { conditionOf } from '../runtime/k8s/core.ts';
import { hasFinalizer } from '../runtime/k8s/object.ts';

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
  node: Node,
  { type, status: is, reason = '', message = '' }: Pick<Condition, 'type' | 'status' | 'reason' | 'message'>,
  now: string,
): Condition {
  const old = conditionOf(node, type);
  const lastTransitionTime = old?.status === is ? (old.lastTransitionTime ?? now) : now;
  return { type, status: is, reason, message, lastTransitionTime, lastHeartbeatTime: now };
}

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
  const known = new Map(there.map((one) => [taintName(one), one]));
  const isThere = (taint: Taint, one = known.get(taintName(taint))) => one !== undefined && saysAsMuch(one, taint);
  const missing = add.filter((taint) => !isThere(taint));
  const isObsolete = amongTaints([...missing, ...remove]);
  const kept = there.filter((taint) => !isObsolete(taint));
  return missing.length > 0 || kept.length < there.length ? [...kept, ...missing] : undefined;
}

/** Of one key and effect: a Node carries one of them at most. */
export const isSameTaint = (a: Taint, b: Taint): boolean => a.key === b.key && a.effect === b.effect;

/** What tells a taint from others. */
export const taintName = ({ key, effect }: Taint): string => `${effect} ${key}`;

/** Whether one of key and effect is among these. Each is named once: lists of taints come from tenants and their clusters (hack/decisions/0028 T80). */
export function amongTaints(taints: readonly Taint[] = []): (one: Taint) => boolean {
  const names = new Set(taints.map(taintName));
  return (one) => names.has(taintName(one));
}

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
export const staysForMcm = (node: Node): boolean =>
  node.metadata.deletionTimestamp !== undefined && hasFinalizer(node, NODE_FINALIZER);

/** The suffixes of a quantity (apimachinery `resource.Quantity`), each a power of a base. */
const SUFFIXES: Readonly<Record<string, readonly [base: 2 | 10, power: number]>> = {
  n: [10, -9],
  u: [10, -6],
  m: [10, -3],
  '': [10, 0],
  k: [10, 3],
  M: [10, 6],
  G: [10, 9],
  T: [10, 12],
  P: [10, 15],
  E: [10, 18],
  Ki: [2, 10],
  Mi: [2, 20],
  Gi: [2, 30],
  Ti: [2, 40],
  Pi: [2, 50],
  Ei: [2, 60],
};

/** No amount is larger for Kubernetes, and none of a Node finer than a thousandth, to which it rounds up; here in thousandths. */
const MOST = (2n ** 63n - 1n) * 1000n;

/** More digits than this before the decimal point are above the most; an exponent that is as small makes any amount the least. */
const FAR = 40;

interface Parts {
  sign: string;
  whole: string;
  fraction: string;
  exponent: number;
  suffix: readonly [base: 2 | 10, power: number];
}

/** The number that a quantity such as `500m`, `4Gi` or `1e3` means; NaN when it is none. */
export function amountOf(quantity: string | number): number {
  const parts = partsOf(quantity);
  if (!parts) return NaN;
  const { sign, whole, fraction, exponent, suffix } = parts;
  const [base, power] = suffix;
  const number = Number(`${sign}${whole}.${fraction}e${exponent + (base === 10 ? power : 0)}`);
  return base === 10 ? number : number * base ** power;
}

/** The same amount as a Node has it: the API server writes quantities in its own way, `1000` as `1k` and `100u` as `1m`. */
export function isSameAmount(a: string | number, b: string | number): boolean {
  if (a === b) return true;
  const thousandths = thousandthsOf(a);
  return thousandths !== undefined && thousandths === thousandthsOf(b);
}

/** Longer quantities nobody writes, characters: what a target says of one is computed exactly, in time that grows faster than the text (hack/decisions/0028 T82). */
const MOST_QUANTITY = 256;

function partsOf(quantity: string | number): Parts | undefined {
  if (`${quantity}`.length > MOST_QUANTITY) return undefined;
  const found = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?([A-Za-z]*)$/.exec(`${quantity}`);
  const [, sign = '', whole = '', fraction = '', exponent = '0', name = ''] = found ?? [];
  const suffix = Object.hasOwn(SUFFIXES, name) ? SUFFIXES[name] : undefined;
  if (!found || !suffix || whole + fraction === '') return undefined;
  return { sign, whole, fraction, exponent: Number(exponent), suffix };
}

function thousandthsOf(quantity: string | number): bigint | undefined {
  const parts = partsOf(quantity);
  if (!parts) return undefined;
  const { sign, whole, fraction, exponent, suffix } = parts;
  const [base, power] = suffix;
  const digits = (whole + fraction).replace(/^0+/, '');
  const tens = 3 + exponent - fraction.length + (base === 10 ? power : 0);
  const factor = base === 2 ? 2n ** BigInt(power) : 1n;
  const amount = digits === '' ? 0n : roundedUp(digits, { tens, factor });
  return sign === '-' ? -amount : amount;
}

/** The digits times the factor and a power of ten, as a whole number. */
function roundedUp(digits: string, { tens, factor }: { tens: number; factor: bigint }): bigint {
  if (digits.length + tens > FAR) return MOST;
  if (digits.length + tens < -FAR) return 1n;
  const number = BigInt(digits) * factor;
  const divisor = tens < 0 ? 10n ** BigInt(-tens) : 1n;
  const amount = tens < 0 ? (number + divisor - 1n) / divisor : number * 10n ** BigInt(tens);
  return amount > MOST ? MOST : amount;
}

/** The type of a Node's condition that tells how its update in place stands (hack/spec/mcm.md 2.5). */
export const IN_PLACE_CONDITION = 'InPlaceUpdate';

/** How far an update in place is: the condition's reason, in this order. */
export type InPlaceReason = (typeof REASONS)[number];

const REASONS = [
  'CandidateForUpdate',
  'SelectedForUpdate',
  'DrainSuccessful',
  'ReadyForUpdate',
  'UpdateSuccessful',
  'UpdateFailed',
] as const;

/** What the Node says of its update; undefined when there is none. */
export function inPlaceReason(node: Node): InPlaceReason | undefined {
  const reason = conditionOf(node, IN_PLACE_CONDITION)?.reason;
  return REASONS.find((known) => known === reason);
}

/** The Node is to be updated, or its update is not over yet: by its labels, which go last, or by how far it is. */
export function isInUpdate(node: Node): boolean {
  const { labels = {} } = node.metadata;
  const reason = inPlaceReason(node);
  const isAsked = labels[LABEL_CANDIDATE] !== undefined || labels[LABEL_UPDATE_RESULT] !== undefined;
  return isAsked || (reason !== undefined && UNFINISHED.has(reason));
}

const UNFINISHED: ReadonlySet<InPlaceReason> = new Set([
  'SelectedForUpdate',
  'DrainSuccessful',
  'ReadyForUpdate',
  'UpdateFailed',
]);

/** Labels that name a Node's zone: the present one, and that of before Kubernetes 1.17. */
const FORMER_ZONE = 'failure-domain.beta.kubernetes.io/zone';

/** The zone that labels of a Node name, whether a label may say so or not; undefined where they name none. */
export const zoneIn = (labels: Node['metadata']['labels']): string | undefined =>
  labels?.[LABEL_ZONE] || labels?.[FORMER_ZONE] || undefined;
