import { missesTemplate } from '../../schemas/rules/selector.ts';
import { isEmpty, type Selector, selectorFindings } from '../../schemas/selector.ts';
import { type Rule, when } from '../admission/rule.ts';
import type { Templated } from './templated.ts';

const SELECTOR = 'spec.selector';

/** What holds for the selector of every kind with a template. */
export const selectorRules: readonly Rule<Templated>[] = [
  {
    id: 'selector-not-empty',
    on: ['create', 'update'],
    field: SELECTOR,
    reason: 'FieldValueRequired',
    says: 'must not be empty, or it would pick every machine of the namespace; name at least one label of spec.template.metadata.labels',
    broken: ({ spec }) => when(isEmpty(spec.selector)),
  },
  {
    id: 'selector-parses',
    on: ['create', 'update'],
    field: SELECTOR,
    says: 'must be a valid label selector',
    broken: ({ spec }) => selectorFindings(spec.selector).map(({ at, message }) => ({ at: `.${at}`, says: message })),
  },
  {
    id: 'selector-matches-template',
    on: ['create', 'update'],
    field: SELECTOR,
    reads: [SELECTOR, 'spec.template.metadata.labels'],
    says: 'must match spec.template.metadata.labels: otherwise machines made from the template never count, and more and more are made; make the two agree',
    broken: ({ spec }) => when(missesTemplate(spec.selector, spec.template?.metadata?.labels)),
  },
];

/** A selector stays as it was made, as far as `changed` goes. */
export const selectorImmutable = (
  changed: (now: Selector | undefined, before: Selector | undefined) => boolean,
): Rule<Templated> => ({
  id: 'selector-immutable',
  on: ['update'],
  field: SELECTOR,
  says: 'is immutable: machines that a changed selector no longer picks would be orphans; make a new object with the other selector',
  broken: (now, before) => when(changed(now.spec.selector, before?.spec.selector)),
});
