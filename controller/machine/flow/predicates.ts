import { LABEL_FORCE_DELETION } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import { isGoTrue } from '../../drain/flow/force.ts';

/** The Machine is to go without regard (MCM 2.3). */
export const isForced = ({ metadata }: Machine): boolean => isGoTrue(metadata.labels?.[LABEL_FORCE_DELETION]);

/**
 * The first annotation by which somebody holds the Machine before this part of its deletion; undefined when nobody does.
 * A Machine that is deleted by force waits for nobody.
 */
export function hookOf(machine: Machine, prefix: string): string | undefined {
  if (isForced(machine)) return undefined;
  return Object.keys(machine.metadata.annotations ?? {})
    .toSorted()
    .find((key) => key.startsWith(prefix));
}

/** Somebody has excluded the Machine from a part of its deletion by this annotation; whatever its value, as in Cluster API. */
export const isExcluded = ({ metadata }: Machine, key: string): boolean =>
  Object.hasOwn(metadata.annotations ?? {}, key);
