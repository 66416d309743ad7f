import { coldPart } from '../schemas/hotpart.ts';
import type { Machine } from '../schemas/machine.ts';
import { providers } from '../schemas/providers/index.ts';
import { isSame } from '../schemas/same.ts';
import { canonical } from './hash.ts';

/** MCM's fields that reach machines that exist already (MCM 5.3). */
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

/**
 * Fields beside MCM's that reach machines that exist, each with what it is where it is left out. A machine may differ in them:
 * what somebody changed by hand stays until the template says something else (hack/decisions/0052).
 */
const SETTINGS = {
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

/** A template's fields of which living and leaving machines learn, without what is left out. */
export const settingsOf = (spec: Spec | undefined): Partial<Spec> =>
  Object.fromEntries(Object.entries(SETTINGS).map(([field, absent]) => [field, spec?.[field as keyof Spec] ?? absent]));

/** The settings that differ from what they are where they are left out, as canonical JSON; undefined when none does. */
export function settingsRecord(spec: Spec | undefined): string | undefined {
  const said = Object.entries(settingsOf(spec)).filter(([field, value]) => !isSame(value, absentOf(field)));
  return said.length > 0 ? canonical(Object.fromEntries(said)) : undefined;
}

/** Of the template's settings those that differ from the record of what the machine was given before. */
export function newSettings(spec: Spec | undefined, record: string | undefined): Partial<Spec> {
  const given = settingsOf(readRecord(record));
  return Object.fromEntries(
    Object.entries(settingsOf(spec)).filter(([field, value]) => !isSame(value, given[field as keyof Spec])),
  );
}

const absentOf = (field: string) => SETTINGS[field as keyof typeof SETTINGS];

/** A record that cannot be read says that nothing was given. */
function readRecord(record: string | undefined): Spec {
  try {
    const read: unknown = JSON.parse(record ?? '{}');
    return typeof read === 'object' && read !== null ? (read as Spec) : {};
  } catch {
    return {};
  }
}

/** The part of MCM's machine spec that changes in place. Of an inline providerSpec see {@link followsHot}. */
export const liveFields = (spec: Spec | undefined): Partial<Spec> =>
  Object.fromEntries(LIVE_FIELDS.map((field) => [field, spec?.[field]]));

/**
 * The part of a machine spec whose change needs a new machine (MCM 4.4, hack/decisions/0052); a class's kind is not part of it, and of an
 * inline providerSpec not what its driver marks hot.
 */
export function fixedFields(spec: Spec | undefined): Partial<Spec> {
  const fixed = Object.entries(spec ?? {}).filter(([field]) => !IN_PLACE.has(field));
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
