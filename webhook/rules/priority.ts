import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { PRIORITY_OVERRIDES } from '../../schemas/keys.ts';
import { isPriority, OVERRIDE_BOUNDS } from '../../schemas/rules/machine.ts';
import type { Rule } from '../admission/rule.ts';
import type { Violation } from '../providers/violation.ts';
import type { Templated } from './places.ts';

type Annotations = Readonly<Record<string, string>> | undefined;

const OWN = 'metadata.annotations';
const TEMPLATE = 'spec.template.metadata.annotations';

/** What an override of the place in the queue may be (hack/decisions/0000 5). */
const row = {
  on: ['create', 'update'],
  message: `must be an integer from ${OVERRIDE_BOUNDS.least} to ${OVERRIDE_BOUNDS.most}, such as "50"`,
} as const;

/** For every kind. */
export const priorityInRange: Rule<KubeObject> = {
  ...row,
  id: 'priority-in-range',
  field: OWN,
  reads: overridesBelow(OWN),
  validate: (now, before) => outOfRange(now.metadata.annotations, before?.metadata.annotations),
};

/** For every kind with a template. */
export const templatePriorityInRange: Rule<Templated> = {
  ...row,
  id: 'template-priority-in-range',
  field: TEMPLATE,
  reads: overridesBelow(TEMPLATE),
  validate: (now, before) =>
    outOfRange(now.spec.template?.metadata?.annotations, before?.spec.template?.metadata?.annotations),
};

function overridesBelow(annotations: string): string[] {
  return PRIORITY_OVERRIDES.map((key) => `${annotations}[${key}]`);
}

/** The two keys are judged apart: one that did not change is left alone. */
function outOfRange(now: Annotations, before: Annotations): Violation[] {
  return PRIORITY_OVERRIDES.filter((key) => {
    const text = now?.[key];
    return text !== undefined && text !== before?.[key] && !isPriority(text);
  }).map((key) => ({ at: `[${key}]` }));
}
