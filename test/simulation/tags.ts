import type { UpdateRequest } from '../../controller/drivers/sdk/driver.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import type { Chance } from './chance.ts';

/** Tags on a VM: those of its class, and those that others put there. */
export type Tags = Record<string, string>;

/** The tag that others put on VMs. */
export const FOREIGN = 'theirs';

/** Tags that a class wants. */
export const tagsOf = ({ providerSpec }: Pick<MachineClass, 'providerSpec'>): Tags =>
  (providerSpec as { tags?: Tags } | undefined)?.tags ?? {};

/** What a hot update has to do, one tag after another; undefined takes a tag off. */
export function tagChanges({ class: machineClass, applied }: UpdateRequest): Array<[key: string, value?: string]> {
  const wanted = tagsOf(machineClass);
  const obsolete = Object.keys(tagsOf({ providerSpec: applied })).filter((key) => wanted[key] === undefined);
  return [...obsolete.map((key): [string] => [key]), ...Object.entries(wanted)];
}

/** Some tags for a class, as a merge patch: each is set, to one of two values, or taken off. */
export const someTags = (chance: Chance): Record<string, string | null> =>
  Object.fromEntries(['a', 'b', 'c'].map((key) => [key, chance.oneOf([null, '1', '2'])]));

/** What is wrong with the tags of a VM; undefined when nothing is. */
export function tagFault(has: Tags, wanted: Tags, foreign: boolean): string | undefined {
  const { [FOREIGN]: theirs, ...own } = has;
  if (foreign && theirs === undefined) return 'a tag of others is gone';
  return Bun.deepEquals(own, wanted) ? undefined : `tags ${JSON.stringify(own)}, wanted ${JSON.stringify(wanted)}`;
}
