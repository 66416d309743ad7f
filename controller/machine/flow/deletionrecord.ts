import type { Machine } from '../../../schemas/machine.ts';

/** Clocks of a Machine that leaves, as its status records them. */
export type Deletion = NonNullable<NonNullable<Machine['status']>['deletion']>;

/**
 * What is on record of this deletion of the Machine. A record that was restored from a backup with its status tells of
 * another deletion, and is none, whether the Machine lives or leaves again: its `startedAt` is that one's deletionTimestamp.
 */
export function deletionOf({ metadata, status }: Pick<Machine, 'metadata' | 'status'>): Deletion | undefined {
  const record = status?.deletion;
  if (!record || !metadata.deletionTimestamp) return undefined;
  return Date.parse(record.startedAt) === Date.parse(metadata.deletionTimestamp) ? record : undefined;
}
