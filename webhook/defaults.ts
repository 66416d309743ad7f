import type { KubeObject } from '../controller/runtime/object.ts';
import { isRecord, type Path, parsePath, pointerTo, valueAt } from './path.ts';

/** One default that the schema cannot state, because it depends on other fields or on how the object is written. */
export interface Default<T extends KubeObject> {
  id: string;
  /** The field that is filled in when it is absent or null. */
  field: string;
  /** Goes on after the field, in the reference. */
  says: string;
  /** What to fill in; undefined leaves the field absent. */
  value(now: T, write: Write<T>): unknown;
}

/** How an object is being written. */
export interface Write<T extends KubeObject> {
  /** The object as it is stored; absent on creation. */
  before?: T | undefined;
  /** Fields may be absent because the author did not send or own them, not because they shall be gone; see `isPartial`. */
  partial: boolean;
}

/** One operation of a JSON patch (RFC 6902). */
export interface PatchOperation {
  op: 'add';
  path: string;
  value: unknown;
}

/** Fills in what is absent, in the object itself, and says what it did. A second call has nothing left to do. */
export type Fill<T extends KubeObject> = (now: T, write: Write<T>) => PatchOperation[];

/** Prepares a table for filling in; later rows see what earlier ones filled in. */
export function fillBy<T extends KubeObject>(defaults: readonly Default<T>[]): Fill<T> {
  const prepared = defaults.map((row) => ({ row, path: parsePath(row.field) }));
  return (now, write) => prepared.flatMap(({ row, path }) => fill(now, path, () => row.value(now, write)));
}

function fill(now: KubeObject, path: Path, value: () => unknown): PatchOperation[] {
  if ((valueAt(now, path) ?? undefined) !== undefined) return [];
  const wanted = value();
  return wanted === undefined ? [] : put(now, path, wanted);
}

/** Sets a field, with the parents that are missing; a parent of another type is left for the schema to refuse. */
function put(object: unknown, path: Path, value: unknown): PatchOperation[] {
  let parent = object;
  for (const [index, segment] of path.entries()) {
    if (!isRecord(parent)) return [];
    const next = parent[segment] ?? undefined;
    if (next === undefined) {
      const filled = path.slice(index + 1).reduceRight((inner, name) => ({ [name]: inner }), value);
      parent[segment] = filled;
      // A copy, for later rows may fill in more below it, and say so themselves.
      return [{ op: 'add', path: pointerTo(path.slice(0, index + 1)), value: structuredClone(filled) }];
    }
    parent = next;
  }
  return [];
}
