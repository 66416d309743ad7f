import { coldPart } from './hotpart.ts';
import { LABEL_TEMPLATE_HASH } from './keys.ts';
import type { Machine } from './machine.ts';
import type { MachineDeployment } from './machinedeployment.ts';
import { providers } from './providers/index.ts';
import { isSameBarNulls } from './same.ts';

/** What a machine is made from, as sets and deployments have it. */
export type Template = MachineDeployment['spec']['template'];

type Spec = NonNullable<Machine['spec']>;

/** MCM's fields that reach machines that exist already (hack/spec/mcm.md 5.3). */
export const LIVE_FIELDS = [
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

/**
 * Fields beside MCM's that reach machines that exist, each with what it is where it is left out. A machine may differ in them:
 * what somebody changed by hand stays until the template says something else (hack/decisions/0052).
 */
export const SETTINGS = {
  deletionPolicy: 'Delete',
  powerState: undefined,
  powerOffMode: 'TrySoft',
  suspendMode: 'TrySoft',
  restartMode: 'TrySoft',
  promoteDisksMode: undefined,
  taints: undefined,
} as const satisfies Partial<Spec>;

/** A template can restart nothing: the schema refuses it there, and what was stored before that is neither here nor there. */
const IGNORED = 'nextRestartTime';

const IN_PLACE: ReadonlySet<string> = new Set([...LIVE_FIELDS, ...Object.keys(SETTINGS), IGNORED]);

/** What makes a template another one: its labels and metadata, and the fields that do not change in place. */
export function identityOf(template: Template | undefined): object {
  const { metadata, spec } = template ?? {};
  const { [LABEL_TEMPLATE_HASH]: _, ...labels } = metadata?.labels ?? {};
  // Named only where there are some: names of sets follow from this.
  const held = metadata?.finalizers?.length ? { finalizers: metadata.finalizers } : {};
  return { labels, annotations: metadata?.annotations ?? {}, ...held, spec: fixedFields(spec) };
}

/** Whether machines of the one are as good as those of the other, so that none has to be replaced: nobody else compares templates. */
export const isSameTemplate = (one: Template | undefined, other: Template | undefined): boolean =>
  isSameBarNulls(identityOf(one), identityOf(other));

/**
 * The part of a machine spec whose change needs a new machine (hack/spec/mcm.md 4.4, hack/decisions/0052); a class's kind is not part of it, and of an
 * inline providerSpec not what its driver marks hot. Texts that MCM's Go types leave out when empty are as good as absent (0051 U24).
 */
export function fixedFields(spec: Spec | undefined): Partial<Spec> {
  const fixed = Object.entries(spec ?? {}).filter(([field]) => !IN_PLACE.has(field));
  const { class: named, ...rest } = { ...(Object.fromEntries(fixed) as Partial<Spec>), ...coldSpec(spec) };
  if (rest.providerID === '') delete rest.providerID;
  return named ? { ...rest, class: { apiGroup: named.apiGroup || undefined, name: named.name } } : rest;
}

/** What of an inline providerSpec a VM keeps from its creation to its end; nothing where there is none. */
export function coldSpec(spec: Spec | undefined): Partial<Spec> {
  if (spec?.providerSpec === undefined) return {};
  const schema = providers.find(({ name }) => name === spec.provider)?.providerSpec;
  return { providerSpec: coldPart(spec.providerSpec, schema ?? {}) as Spec['providerSpec'] };
}
