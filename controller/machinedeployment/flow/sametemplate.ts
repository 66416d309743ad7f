import { identityOf, isSameTemplate, type Template } from '../../../schemas/templateidentity.ts';
import { digestOf } from '../../model/hash.ts';

/**
 * Whether two templates are the same, each gone through once for as long as it is there: a template may have some ten thousand annotations, and a
 * look compares those of all sets several times. What is stored is never changed in its place, and a patch brings one new template.
 */
export function judgedOnce(): typeof isSameTemplate {
  const known = new WeakMap<object, string>();
  const digest = (template: NonNullable<Template>) =>
    known.getOrInsertComputed(template, () => digestOf(identityOf(template)));
  return (one: Template | undefined, other: Template | undefined) =>
    one && other ? digest(one) === digest(other) : isSameTemplate(one, other);
}

/** The same for all that is stored. */
export const isSameStored = judgedOnce();
