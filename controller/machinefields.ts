import { coldPart } from '../schemas/hotpart.ts';
import type { Machine } from '../schemas/machine.ts';
import { providers } from '../schemas/providers/index.ts';
import { canonical } from './hash.ts';

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

/** The part of a machine spec that changes in place. Of an inline providerSpec see {@link followsHot}. */
export const liveFields = (spec: Spec | undefined): Partial<Spec> =>
  Object.fromEntries(LIVE_FIELDS.map((field) => [field, spec?.[field]]));

/**
 * The part of a machine spec whose change needs a new machine (MCM 4.4); a class's kind is not part of it, and of an
 * inline providerSpec not what its driver marks hot.
 */
export function fixedFields(spec: Spec | undefined): Partial<Spec> {
  const fixed = Object.entries(spec ?? {}).filter(([field]) => !(LIVE_FIELDS as readonly string[]).includes(field));
  const { class: named, ...rest } = { ...(Object.fromEntries(fixed) as Partial<Spec>), ...coldSpec(spec) };
  return named ? { ...rest, class: { apiGroup: named.apiGroup, name: named.name } } : rest;
}

/** Whether a machine can follow a template's inline providerSpec: the two differ in hot fields at most. */
export function followsHot(machine: Spec | undefined, template: Spec | undefined): boolean {
  if (machine?.providerSpec === undefined || machine.provider !== template?.provider) return false;
  return canonical(coldSpec(machine)) === canonical(coldSpec(template));
}

function coldSpec(spec: Spec | undefined): Partial<Spec> {
  if (spec?.providerSpec === undefined) return {};
  const schema = providers.find(({ name }) => name === spec.provider)?.providerSpec;
  return { providerSpec: coldPart(spec.providerSpec, schema ?? {}) as Spec['providerSpec'] };
}
