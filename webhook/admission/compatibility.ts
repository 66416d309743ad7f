import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import type { SupersetField } from '../../schemas/superset.ts';
import { type PatchOperation, type Path, parsePath, put, valueAt } from './fieldpath.ts';

/** What was put back into an object. */
export interface Kept {
  patch: PatchOperation[];
  fields: string[];
}

/** The part of an object that a request writes: everything but the status, or the status alone. */
export type Part = 'object' | 'status';

/**
 * Puts back, into the object itself, what a client dropped that does not know it (hack/decisions/0008). For writes of
 * the whole object only: whoever applies or patches may remove what they like.
 */
export type Shield = (now: KubeObject, before: KubeObject, part: Part) => Kept;

interface Known extends SupersetField {
  path: Path;
}

/** Prepares the compatibility shield of a kind (hack/decisions/0000 2). */
export function shieldBy(superset: readonly SupersetField[]): Shield {
  const fields = superset.map((known): Known => ({ ...known, path: parsePath(known.field) }));
  const ofStatus = ({ path }: Known) => path[0] === 'status';
  const parts = { status: fields.filter(ofStatus), object: fields.filter((field) => !ofStatus(field)) };
  return (now, before, part) => {
    const setsAny = parts[part].some((field) => isSaid(now, field));
    const dropped = parts[part].filter((field) => isDropped({ now, before, field, setsAny }));
    const kept = dropped.map((field) => ({ ...field, patch: put(now, field.path, keepable(before, field)) }));
    return {
      patch: kept.flatMap(({ patch }) => patch),
      fields: kept.filter(({ patch }) => patch.length > 0).map(({ field }) => field),
    };
  };
}

/** What was dropped cannot be put back as it was. */
export class Unkeepable extends Error {
  override name = 'Unkeepable';
}

/** The value that was dropped. Throws Unkeepable for one that JavaScript reads as another, so that it is never rounded in silence. */
function keepable(before: KubeObject, { field, path }: Known): unknown {
  const value = valueAt(before, path);
  if (isExact(value)) return value;
  throw new Unkeepable(
    `it leaves out ${field}, which holds a whole number beyond ${Number.MAX_SAFE_INTEGER} and cannot be put back exactly; change the object with kubectl patch or kubectl apply, or send the field along`,
  );
}

/** Go keeps whole numbers of up to 64 bits exactly; beyond these, and with a fraction, it has the same numbers as JavaScript. */
function isExact(value: unknown): boolean {
  if (typeof value === 'number')
    return !Number.isInteger(value) || Number.isSafeInteger(value) || Math.abs(value) > 2 ** 63;
  return typeof value !== 'object' || value === null || Object.values(value).every(isExact);
}

/** Whether a field holds something that only its author can have put there. */
function isSaid(now: KubeObject, { path, fallback }: Known): boolean {
  const value = valueAt(now, path) ?? undefined;
  return value !== undefined && !Bun.deepEquals(value, fallback);
}

interface Dropping {
  now: KubeObject;
  before: KubeObject;
  field: Known;
  /** Whether the request says anything of the fields that MCM does not know. */
  setsAny: boolean;
}

/**
 * Whether the request left out what was there. A field that the API server fills in is there in any case when the
 * webhook sees it: its default counts as left out as long as nothing in the request shows that the author knows better.
 */
function isDropped({ now, before, field, setsAny }: Dropping): boolean {
  if (!isSaid(before, field) || isSaid(now, field)) return false;
  return field.fallback === undefined || !setsAny;
}

/** The API server may cut a warning after 256 characters, of which the words around the names take some 130. */
const MOST_NAMES = 120;
const REMEDY = 'to remove it, use kubectl patch or kubectl apply';

/** Tells the client which fields were put back, and how to be rid of them. */
export function keptWarnings(fields: readonly string[]): string[] {
  const lines: string[] = [];
  for (const field of fields) {
    const longer = lines.length === 0 ? field : `${lines.at(-1)}, ${field}`;
    if (lines.length === 0 || longer.length > MOST_NAMES) lines.push(field);
    else lines[lines.length - 1] = longer;
  }
  return lines.map((names) => `kept ${names}: the request left this out as clients do that do not know it; ${REMEDY}`);
}
