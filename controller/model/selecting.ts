import { missesTemplate } from '../../schemas/rules/selector.ts';
import { isEmpty, type Selector, selectorFindings } from '../../schemas/selector.ts';
import { fail, type Outcome, pass } from '../flow/flow.ts';
import type { selectingReasons } from '../flow/reasons.ts';

/** The parts of a set's or deployment's spec that say which children are its own. */
interface Selecting {
  selector?: Selector | undefined;
  template?: { metadata?: { labels?: Record<string, string> | undefined } | undefined } | undefined;
}

/** What is wrong with the selector, in words; undefined when it can be worked by. */
export function selectingFault(spec: Selecting): string | undefined {
  const judged = selecting(spec);
  return judged.kind === 'fail' ? judged.message : undefined;
}

/** A selector that picks everything, or nothing that the template makes, would make machines without end. */
export function selecting({ selector, template }: Selecting): Outcome<never, keyof typeof selectingReasons> {
  const [finding] = selectorFindings(selector);
  if (isEmpty(selector)) return fail('SelectorEmpty', 'spec.selector is empty: set it to labels of the template');
  if (finding) return fail('SelectorInvalid', `spec.selector.${finding.at} ${finding.message}`);
  if (!missesTemplate(selector, template?.metadata?.labels)) return pass;
  return fail(
    'SelectorMismatch',
    'spec.selector does not match the labels of spec.template: no machine would ever count',
  );
}
