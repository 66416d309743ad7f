import type { MachineSet } from '../../schemas/machineset.ts';
import type { Template } from '../../schemas/templateidentity.ts';
import { MOST_STEPS } from '../providers/workbudget.ts';

/**
 * Comparing the template with each of the others takes more than judging one document may: what a warning is worth holds up nobody's reviews
 * (hack/decisions/0028 T53, T66). Whatever is in them counts, also what no schema bounds.
 */
export function isWide(template: Template | undefined, others: readonly (Template | undefined)[]): boolean {
  let left = MOST_STEPS - others.length * sizeOf(template, MOST_STEPS);
  for (const other of others) {
    if (left < 0) break;
    left -= sizeOf(other, left);
  }
  return left < 0;
}

/** The templates of these sets. */
export const templatesOf = (sets: readonly MachineSet[]): (Template | undefined)[] =>
  sets.map(({ spec }) => spec?.template);

/** How many fields and items a value has, at all levels; hardly more than the most are counted. */
function sizeOf(value: unknown, most: number): number {
  const left = [value];
  let count = 0;
  for (let one = left.pop(); count <= most && one !== undefined; one = left.pop())
    for (const key in one as object) {
      if (++count > most) break;
      const part = (one as Record<string, unknown>)[key];
      if (typeof part === 'object' && part !== null) left.push(part);
    }
  return count;
}
