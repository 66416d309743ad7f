import type { Machine } from '../../schemas/machine.ts';
import { isSame, isSameBarNulls } from '../../schemas/same.ts';
import { coldSpec, LIVE_FIELDS, SETTINGS } from '../../schemas/templateidentity.ts';
import { canonical } from './hash.ts';

type Spec = NonNullable<Machine['spec']>;

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

/** Whether a machine can follow a template's inline providerSpec: the two differ in hot fields at most. */
export function followsHot(machine: Spec | undefined, template: Spec | undefined): boolean {
  if (machine?.providerSpec === undefined || machine.provider !== template?.provider) return false;
  return isSameBarNulls(coldSpec(machine), coldSpec(template));
}
