import { LABEL_TEMPLATE_HASH } from './keys.ts';

/** How large a selector may be (hack/decisions/0045): it is held against every object of a namespace, while all else waits. */

/** Labels and expressions; the template's hash, which a deployment adds for its sets (hack/spec/mcm.md 4.4), does not count. */
export const MOST_PARTS = 100;
/** Labels with that hash. */
export const MOST_LABELS = MOST_PARTS + 1;
/** Values of all expressions. */
export const MOST_VALUES = 1_000;

/** The parts of a selector of which there may be too many. */
interface Sized {
  matchLabels?: Readonly<Record<string, string>> | null | undefined;
  matchExpressions?: ReadonlyArray<{ values?: readonly string[] | null | undefined }> | null | undefined;
}

/** What is too large about a selector, looked for in as little time; undefined for nearly every one. */
function sizeFinding({ matchLabels, matchExpressions }: Sized): { at: string; message: string } | undefined {
  const requirements = matchExpressions ?? [];
  const labels = labelsIn(matchLabels ?? {});
  if (requirements.length === 0 && labels > MOST_PARTS) return { at: 'matchLabels', message: TOO_MANY_LABELS };
  if (requirements.length + labels > MOST_PARTS) return { at: 'matchExpressions', message: TOO_MANY_PARTS };
  const values = requirements.reduce((sum, requirement) => sum + (requirement.values?.length ?? 0), 0);
  return values > MOST_VALUES ? { at: 'matchExpressions', message: TOO_MANY_VALUES } : undefined;
}

const LESS = 'select by one label that the template sets for this purpose';
const TOO_MANY_LABELS = `must have at most ${MOST_PARTS} labels; ${LESS}`;
const TOO_MANY_PARTS = `must have at most ${MOST_PARTS} entries, labels of matchLabels included; ${LESS}`;
const TOO_MANY_VALUES = `must name at most ${MOST_VALUES} values in all; ${LESS}`;

/** Counts no further than matters. */
function labelsIn(labels: Readonly<Record<string, string>>): number {
  let count = 0;
  for (const key in labels) if (key !== LABEL_TEMPLATE_HASH && ++count > MOST_PARTS) break;
  return count;
}

/** A condition on one label (metav1.LabelSelectorRequirement). */
export interface Requirement {
  key: string;
  /** In, NotIn, Exists or DoesNotExist; anything else matches nothing. */
  operator: string;
  values?: readonly string[] | null | undefined;
}

/** What picks objects by their labels (metav1.LabelSelector): all of its parts must hold. */
export interface Selector {
  matchLabels?: Labels | null | undefined;
  matchExpressions?: readonly Requirement[] | null | undefined;
}

type Labels = Readonly<Record<string, string>>;

/** What is wrong with one part of a selector. */
export interface SelectorFinding {
  /** Where, below the selector: `matchExpressions[0].values`. */
  at: string;
  message: string;
}

type Test = (value: string | undefined, values: { has(value: string): boolean }) => boolean;

/** Operators by name: NotIn also holds for objects without the label (apimachinery labels.Requirement). */
const operators: Readonly<Record<string, Test>> = {
  In: (value, values) => value !== undefined && values.has(value),
  NotIn: (value, values) => value === undefined || !values.has(value),
  Exists: (value) => value !== undefined,
  DoesNotExist: (value) => value === undefined,
};

/** Operators that compare with values; the others take none. */
const comparing = ['In', 'NotIn'];

/** A DNS subdomain (RFC 1123), but for its length. */
const SUBDOMAIN = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*';
const NAME = '[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?';
const MOST_SUBDOMAIN = 253;
const MOST_NAME = 63;

const LABEL_PREFIX = new RegExp(`^${SUBDOMAIN}$`);
const LABEL_NAME = new RegExp(`^${NAME}$`);
const LABEL_KEY = new RegExp(`^(?:${SUBDOMAIN}/)?${NAME}$`);

const BAD_KEY = 'is not a label key: write name or prefix/name, the name of at most 63 letters, digits, -, _ and .';
const BAD_FINALIZER =
  'is not a finalizer: write prefix/name, such as example.com/audit, the name of at most 63 letters, digits, -, _ and .';
const BAD_VALUE = 'is not a label value: at most 63 letters, digits, -, _ and ., a letter or digit at both ends';

/** Says nothing, and so would pick every object. An absent selector is empty, too. */
export const isEmpty = (selector: Selector | null | undefined): boolean =>
  hasNone(selector?.matchLabels) && requirementsOf(selector).length === 0;

/** One part of a selector, ready to be held against the value of its label. */
interface Part {
  key: string;
  holds(value: string | undefined): boolean;
}

/**
 * Parts of selectors that were judged before: caches share objects that nobody changes, and one selector is held against
 * thousands. A selector that is too large is kept as undefined.
 */
const known = new WeakMap<Selector, Part[] | undefined>();

/** How many parts may still be judged, for who holds many selectors against many objects in one go. */
export interface PartsLeft {
  left: number;
}

/**
 * Whether the selector picks an object with these labels. An absent selector picks nothing, an empty one everything, one
 * that is too large nothing. It must not change after it was judged.
 */
export const matches = (selector: Selector | null | undefined, labels: Labels | null | undefined): boolean =>
  picking(selector)(labels);

/**
 * The same for many objects, one after the other.
 * @param work counts the parts that are judged; when `left` is below 0, nothing more is judged, and nothing picked
 */
export function picking(
  selector: Selector | null | undefined,
  work: PartsLeft = { left: Infinity },
): (labels: Labels | null | undefined) => boolean {
  const parts = selector ? partsOf(selector) : undefined;
  if (!parts) return () => false;
  return (labels) => {
    if (work.left < 0) return false;
    const value = (key: string) => (labels && Object.hasOwn(labels, key) ? labels[key] : undefined);
    const failing = parts.findIndex(({ key, holds }) => !holds(value(key)));
    work.left -= failing < 0 ? parts.length : failing + 1;
    if (failing > 0) toFront(parts, failing);
    return failing < 0;
  };
}

/**
 * What failed for one object fails for most others like it: it is judged first from then on. Who writes objects that fail by another part
 * each has all of them judged: that is what `PartsLeft` bounds (hack/decisions/0028 T65).
 */
function toFront(parts: Part[], at: number): void {
  const [failed] = parts.splice(at, 1);
  if (failed) parts.unshift(failed);
}

/** Larger than any selector that is judged (`sizeFinding`); it must not change after that. */
export const isTooLarge = (selector: Selector | null | undefined): boolean =>
  Boolean(selector) && partsOf(selector as Selector) === undefined;

function partsOf(selector: Selector): Part[] | undefined {
  const before = known.get(selector);
  if (before !== undefined || known.has(selector)) return before;
  const parts = sizeFinding(selector) ? undefined : [...labelParts(selector), ...requirementParts(selector)];
  known.set(selector, parts);
  return parts;
}

const labelParts = (selector: Selector): Part[] =>
  labelsOf(selector).map(([key, wanted]) => ({ key, holds: (value) => value === wanted }));

const requirementParts = (selector: Selector): Part[] =>
  requirementsOf(selector).map(({ key, operator, values }) => {
    const [test, among] = [testOf(operator), new Set(values)];
    return { key, holds: (value) => test?.(value, among) ?? false };
  });

/** Everything that keeps a selector from being understood (apimachinery validation.ValidateLabelSelector), or that it is too large. */
export function selectorFindings(selector: Selector | null | undefined): SelectorFinding[] {
  const tooLarge = selector && sizeFinding(selector);
  if (tooLarge) return [tooLarge];
  const labels = labelsOf(selector).flatMap(([key, value]) => labelFindings(`matchLabels[${key}]`, key, value));
  const requirements = requirementsOf(selector).flatMap((requirement, index) =>
    requirementFindings(`matchExpressions[${index}]`, requirement),
  );
  return [...labels, ...requirements];
}

/** A name, or a DNS subdomain, a slash and a name (apimachinery validation.IsQualifiedName). */
export function isLabelKey(key: string): boolean {
  const slash = key.indexOf('/');
  return slash <= MOST_SUBDOMAIN && key.length - slash - 1 <= MOST_NAME && LABEL_KEY.test(key);
}

/** A name, or nothing (apimachinery validation.IsValidLabelValue). */
export const isLabelValue = (value: string): boolean =>
  value === '' || (value.length <= MOST_NAME && LABEL_NAME.test(value));

/** Whether a text is a DNS subdomain, as most names of objects are (apimachinery validation.IsDNS1123Subdomain). */
export const isSubdomain = (text: string): boolean => text.length <= MOST_SUBDOMAIN && LABEL_PREFIX.test(text);

/**
 * What is wrong with finalizers (apimachinery validation.ValidateFinalizers): a name of a namespace, as a key of a label, and of the
 * garbage collector's two at most one.
 * @param stored those that were there already, which are left alone
 */
export function finalizerFindings(
  at: string,
  finalizers: readonly string[],
  stored: readonly string[] = [],
): SelectorFinding[] {
  const known = new Set(stored);
  const hasBoth = (names: readonly string[]) => COLLECTORS.every((name) => names.includes(name));
  return [
    ...finalizers.flatMap((name, index) =>
      when(!isLabelKey(name) && !known.has(name), `${at}[${index}]`, BAD_FINALIZER),
    ),
    ...when(hasBoth(finalizers) && !hasBoth(stored), at, 'cannot have both orphan and foregroundDeletion'),
  ];
}

const COLLECTORS = ['orphan', 'foregroundDeletion'];

/** What is wrong with a label: with its key, and with its value. */
export function labelFindings(at: string, key: string, value: string): SelectorFinding[] {
  if (isLabelKey(key) && isLabelValue(value)) return [];
  return [...when(!isLabelKey(key), at, BAD_KEY), ...when(!isLabelValue(value), at, BAD_VALUE)];
}

function requirementFindings(at: string, { key, operator, values }: Requirement): SelectorFinding[] {
  const given = values ?? [];
  const compares = comparing.includes(operator);
  return [
    ...when(!isLabelKey(key), `${at}.key`, BAD_KEY),
    ...when(!testOf(operator), `${at}.operator`, `must be one of ${Object.keys(operators).join(', ')}`),
    ...when(compares && given.length === 0, `${at}.values`, `must not be empty with operator ${operator}`),
    ...when(
      Boolean(testOf(operator)) && !compares && given.length > 0,
      `${at}.values`,
      `must be empty with operator ${operator}`,
    ),
    ...given.flatMap((value, index) => when(!isLabelValue(value), `${at}.values[${index}]`, BAD_VALUE)),
  ];
}

const when = (wrong: boolean, at: string, message: string): SelectorFinding[] => (wrong ? [{ at, message }] : []);

const testOf = (operator: string): Test | undefined =>
  Object.hasOwn(operators, operator) ? operators[operator] : undefined;

const labelsOf = (selector: Selector | null | undefined) => Object.entries(selector?.matchLabels ?? {});

/** Without a list of what may be a hundred. */
function hasNone(labels: Labels | null | undefined): boolean {
  for (const key in labels) if (Object.hasOwn(labels, key)) return false;
  return true;
}

const requirementsOf = (selector: Selector | null | undefined) => selector?.matchExpressions ?? [];
