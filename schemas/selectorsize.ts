import { LABEL_TEMPLATE_HASH } from './keys.ts';
import type { Selector, SelectorFinding } from './selector.ts';

/** How large a selector may be (hack/decisions/0045): it is held against every object of a namespace, while all else waits. */

/** Labels and expressions; the template's hash, which a deployment adds for its sets (MCM 4.4), does not count. */
export const MOST_PARTS = 100;
/** Labels with that hash. */
export const MOST_LABELS = MOST_PARTS + 1;
/** Values of all expressions. */
export const MOST_VALUES = 1_000;

/** What is too large about a selector, looked for in as little time; undefined for nearly every one. */
export function sizeFinding({ matchLabels, matchExpressions }: Selector): SelectorFinding | undefined {
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
