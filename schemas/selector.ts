import { sizeFinding } from './selectorsize.ts';

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
const BAD_VALUE = 'is not a label value: at most 63 letters, digits, -, _ and ., a letter or digit at both ends';

/** Says nothing, and so would pick every object. An absent selector is empty, too. */
export const isEmpty = (selector: Selector | null | undefined): boolean =>
  labelsOf(selector).length === 0 && requirementsOf(selector).length === 0;

/** One part of a selector, ready to be held against the value of its label. */
interface Part {
  key: string;
  holds(value: string | undefined): boolean;
}

/**
 * Parts of selectors that were judged before: caches share objects that nobody changes, and one selector is held against
 * thousands. A selector that is too large is kept as undefined.
 */
const known = new WeakMap<Selector, readonly Part[] | undefined>();

/**
 * Whether the selector picks an object with these labels. An absent selector picks nothing, an empty one everything, one
 * that is too large nothing. It must not change after it was judged.
 */
export function matches(selector: Selector | null | undefined, labels: Labels | null | undefined): boolean {
  if (!selector) return false;
  const parts = partsOf(selector);
  const value = (key: string) => (labels && Object.hasOwn(labels, key) ? labels[key] : undefined);
  return parts?.every(({ key, holds }) => holds(value(key))) ?? false;
}

/** Larger than any selector that is judged (selectorsize.ts); it must not change after that. */
export const isTooLarge = (selector: Selector | null | undefined): boolean =>
  Boolean(selector) && partsOf(selector as Selector) === undefined;

function partsOf(selector: Selector): readonly Part[] | undefined {
  if (known.has(selector)) return known.get(selector);
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

const requirementsOf = (selector: Selector | null | undefined) => selector?.matchExpressions ?? [];
