import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { isSame } from '../../schemas/same.ts';
import type { Violation } from '../providers/violation.ts';
import { type Facts, NotYetKnown } from './context.ts';
import { type Path, parsePath, valueAt } from './fieldpath.ts';
import { asTemplated } from './maker.ts';

/** What a rule is judged on. */
export type Operation = 'create' | 'update' | 'delete';

/** Whether a violated rule denies the request, or only warns its author. */
export type Level = 'deny' | 'warn';

/** Why a value is denied, in the words of metav1.CauseType; Forbidden means that others might be allowed to. */
export type Reason = 'FieldValueRequired' | 'FieldValueInvalid' | 'FieldValueForbidden';

/** One rule: a row of a kind's table. */
export interface Rule<T extends KubeObject> {
  /** Names the rule in metrics, logs and the reference; the same row may serve several kinds. */
  id: string;
  on: readonly Operation[];
  /** The field that findings point to. */
  field: string;
  /** All fields that the rule looks at, `field` alone when absent. An update that changes none of them is not judged. */
  reads?: readonly string[];
  /** `deny` when absent. */
  level?: Level;
  /**
   * The field is one that controllers copy from a template: an object that a MachineSet or MachineDeployment made is created
   * with a warning at most where the stored template breaks the rule in the same way, and updated so where it gets what the stored
   * template has in the field (hack/decisions/0009). Its author has been warned; the controller that copies what is stored must be
   * able to go on.
   */
  warnIfCopied?: true;
  /**
   * What it misses may be made in this very moment: a request is refused only if it is still missing a moment later, and a
   * dry run is only warned, for what is tried together cannot be there.
   */
  retryOnMissing?: true;
  /** Holds on an object that is being deleted as well, where all other rules make way for its finalizers to come off. */
  always?: true;
  /** `FieldValueInvalid` when absent. */
  reason?: Reason;
  /** Goes on after the field: what must hold, and what to do. */
  message: string;
  /** Every violation; pure. `before` is there on updates; of a deletion `now` is what is stored. */
  validate(now: T, before: T | undefined, facts: Facts): readonly Violation[];
}

/** A violation, as it is answered. */
export interface Finding {
  /** Id of the rule. */
  rule: string;
  level: Level;
  field: string;
  reason: Reason;
  message: string;
  /** See {@link Rule.retryOnMissing}. */
  retryOnMissing?: true;
}

/** One violation where something does not hold, none where it does. */
export const when = (wrong: boolean): readonly Violation[] => (wrong ? [{}] : []);

/** A rule that could not be judged: the object's shape is off, or the rule has a fault. */
export class RuleError extends Error {
  override name = 'RuleError';
}

/** Judges an object by a table of rules; `before` is absent on creation. */
export type Judge<T extends KubeObject> = (now: T, before: T | undefined, facts: Facts) => Finding[];

/**
 * Prepares a table for judging.
 *
 * An update is judged only by the rules of which it changed a field, so that an object which broke a rule before that
 * rule existed can still be worked with. The judge throws RuleError.
 */
export function judgeBy<T extends KubeObject>(rules: readonly Rule<T>[]): Judge<T> {
  const onCreate = rules.filter(({ on }) => on.includes('create'));
  const onUpdate = rules.filter(({ on }) => on.includes('update')).map((rule) => ({ rule, fields: readsOf(rule) }));
  const paths = new Map(onUpdate.flatMap(({ fields }) => fields).map((field) => [field, parsePath(field)]));
  return (now, before, facts) => {
    const changed = before && changedOf(paths, now, before);
    const applicable = changed
      ? onUpdate.filter(({ fields }) => fields.some((field) => changed.has(field))).map(({ rule }) => rule)
      : onCreate;
    return applicable.flatMap((rule) => judge(rule, { now, before, facts }));
  };
}

/** Prepares the rules of a table that hold on objects that are being deleted. The judge throws RuleError. */
export const judgeTerminatingBy = <T extends KubeObject>(rules: readonly Rule<T>[]): Judge<T> =>
  judgeBy(rules.filter(({ always }) => always));

/** Judges the deletion of an object as it is stored. */
export type JudgeDeletion<T extends KubeObject> = (stored: T, facts: Facts) => Finding[];

/** Prepares the rules for deletions of a table. The judge throws RuleError. */
export function judgeDeletionBy<T extends KubeObject>(rules: readonly Rule<T>[]): JudgeDeletion<T> {
  const onDelete = rules.filter(({ on }) => on.includes('delete'));
  return (now, facts) => onDelete.flatMap((rule) => judge(rule, { now, before: undefined, facts }));
}

/** The fields that decide whether an update is judged by a rule. */
export const readsOf = <T extends KubeObject>({ field, reads }: Rule<T>): readonly string[] => reads ?? [field];

/** The fields that an update changed; each is compared once, however many rules look at it. */
function changedOf(paths: ReadonlyMap<string, Path>, now: KubeObject, before: KubeObject): Set<string> {
  const changed = new Set<string>();
  for (const [field, path] of paths) if (!isSame(valueAt(now, path), valueAt(before, path))) changed.add(field);
  return changed;
}

interface Write<T extends KubeObject> {
  now: T;
  before: T | undefined;
  facts: Facts;
}

const NONE: Finding[] = [];

function judge<T extends KubeObject>(rule: Rule<T>, write: Write<T>): Finding[] {
  const { level = 'deny' } = rule;
  try {
    const violations = rule.validate(write.now, write.before, write.facts);
    if (violations.length === 0) return NONE;
    const isCopy = rule.warnIfCopied ? copyOf(rule, write) : () => false;
    return violations.map((violation) => findingOf({ ...rule, level: isCopy(violation) ? 'warn' : level }, violation));
  } catch (cause) {
    if (!(cause instanceof NotYetKnown)) throw new RuleError(`rule ${rule.id} could not be judged`, { cause });
    const message = `cannot be judged: ${cause.message}; try again`;
    return level === 'warn' ? NONE : [findingOf({ ...rule, level }, { message })];
  }
}

/** Which violations were copied from the stored template of what made the object. */
function copyOf<T extends KubeObject>(
  { validate, field }: Rule<T>,
  write: Write<T>,
): (violation: Violation) => boolean {
  const { now, before, facts } = write;
  const stored = asTemplated(now, facts);
  if (!stored) return () => false;
  if (before) {
    const path = parsePath(field);
    const isCarried = isSame(valueAt(now, path), valueAt(stored, path));
    return () => isCarried;
  }
  const known = validate(stored, undefined, facts);
  return (violation) => known.some((one) => isSameViolation(one, violation));
}

const isSameViolation = (one: Violation, other: Violation): boolean =>
  one.at === other.at && one.message === other.message;

/** A rule at the level that it has for the object at hand. */
type Judged<T extends KubeObject> = Rule<T> & { level: Level };

const findingOf = <T extends KubeObject>(rule: Judged<T>, { at, message }: Violation): Finding => ({
  rule: rule.id,
  level: rule.level,
  field: `${rule.field}${at ?? ''}`,
  reason: rule.reason ?? 'FieldValueInvalid',
  message: message ?? rule.message,
  ...(rule.retryOnMissing ? { retryOnMissing: true } : {}),
});
