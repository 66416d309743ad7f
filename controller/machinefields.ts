import type { Machine } from '../schemas/machine.ts';

/** Fields that reach machines that exist already; any other change of a template is for new machines (MCM 5.3). */
const LIVE_FIELDS = [
  'nodeTemplate',
  'drainTimeout',
  'healthTimeout',
  'creationTimeout',
  'inPlaceUpdateTimeout',
  'machinePreserveTimeout',
  'disableHealthTimeout',
  'maxEvictRetries',
  'nodeConditions',
] as const;

type Spec = NonNullable<Machine['spec']>;

/** The part of a machine spec that changes in place. */
export const liveFields = (spec: Spec | undefined): Partial<Spec> =>
  Object.fromEntries(LIVE_FIELDS.map((field) => [field, spec?.[field]]));

/** The part of a machine spec whose change needs a new machine (MCM 4.4); a class's kind is not part of it. */
export function fixedFields(spec: Spec | undefined): Partial<Spec> {
  const fixed = Object.entries(spec ?? {}).filter(([field]) => !(LIVE_FIELDS as readonly string[]).includes(field));
  const { class: named, ...rest } = Object.fromEntries(fixed) as Partial<Spec>;
  return named ? { ...rest, class: { apiGroup: named.apiGroup, name: named.name } } : rest;
}
