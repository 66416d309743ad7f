import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import type { Facts } from './context.ts';
import { type PatchOperation, type Path, parsePath, put, valueAt } from './fieldpath.ts';

/** One default that the schema cannot state, because it depends on other fields, on who asks, on how or when. */
export interface Default<T extends KubeObject> {
  id: string;
  /** The field that is filled in when it is absent or null. */
  field: string;
  /** True: what the author wrote may be replaced as well. */
  replaces?: true;
  /** Is filled in on an object that is being deleted as well, of which its rule says that it stays, after another one for which nobody is asked. */
  stays?: { with: Default<T> };
  /** Goes on after the field, in the reference. */
  description: string;
  /** What shall stand there; undefined leaves the field as it is. */
  value(now: T, write: Write<T>): unknown;
}

/** How an object is being written. */
export interface Write<T extends KubeObject> {
  /** The object as it is stored; absent on creation. */
  before?: T | undefined;
  /** Fields may be absent because the author did not send or own them, not because they shall be gone; see `isPartial`. */
  partial: boolean;
  /** Name of who asks. */
  user: string;
  /** Moment of the review, milliseconds since the epoch. */
  at: number;
  facts: Facts;
}

/** Fills in what is absent, in the object itself, and says what it did. A second call has nothing left to do. */
export type Fill<T extends KubeObject> = (now: T, write: Write<T>) => PatchOperation[];

/** Prepares a table for filling in; later rows see what earlier ones filled in. */
export function fillBy<T extends KubeObject>(defaults: readonly Default<T>[]): Fill<T> {
  const prepared = defaults.map((row) => ({ row, path: parsePath(row.field) }));
  return (now, write) => prepared.flatMap(({ row, path }) => fill({ row, path, now, write }));
}

interface Filling<T extends KubeObject> {
  row: Default<T>;
  path: Path;
  now: T;
  write: Write<T>;
}

function fill<T extends KubeObject>({ row, path, now, write }: Filling<T>): PatchOperation[] {
  const present = valueAt(now, path) ?? undefined;
  if (present !== undefined && !row.replaces) return [];
  const desired = row.value(now, write);
  return desired === undefined || Bun.deepEquals(desired, present) ? [] : put(now, path, desired);
}
