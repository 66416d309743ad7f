import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { isObject } from '../../schemas/same.ts';
import { caseObjects } from './arbitrary.ts';

/** A place in an object. */
type Place = readonly string[];

/** Every list and every map of texts in the cases of all kinds. */
export function growable(): Array<[where: string, object: KubeObject, place: Place]> {
  const rows = caseObjects.flatMap((object) =>
    placesIn(object).map((place): [string, KubeObject, Place] => [`${object.kind} ${place.join('.')}`, object, place]),
  );
  return [...new Map(rows.map((row) => [row[0], row])).values()];
}

function placesIn(value: unknown, place: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const below = Object.entries(value).flatMap(([key, inner]) => placesIn(inner, [...place, key]));
  return canGrow(value) ? [place, ...below] : below;
}

const canGrow = (value: object): boolean =>
  Array.isArray(value)
    ? value.length > 0
    : Object.keys(value).length > 0 && Object.values(value).every((text) => typeof text === 'string');

/** The API server takes no larger object, bytes. */
const MOST_BYTES = 3_000_000;

/** A copy with `count` entries more at a place, each its own, or as many as there is room for. */
export function grown(object: KubeObject, place: Place, count: number): KubeObject {
  const copy = structuredClone(object);
  let value: unknown = copy;
  for (const key of place) value = (value as Record<string, unknown>)[key];
  const room =
    MOST_BYTES / (JSON.stringify(Array.isArray(value) ? value[0] : 'example.io/key-12345: 12345').length + 8);
  for (let at = 0; at < Math.min(count, room); at++) {
    if (Array.isArray(value)) value.push(differing(value[0], at));
    else (value as Record<string, unknown>)[`example.io/key-${at}`] = String(at);
  }
  return copy;
}

/** Alike, but for the first text in it. */
function differing(value: unknown, at: number): unknown {
  if (typeof value === 'string') return `${value}-${at}`;
  if (!isObject(value)) return value;
  const [key, text] = Object.entries(value).find(([, inner]) => typeof inner === 'string') ?? [];
  return key === undefined ? value : { ...value, [key]: `${text}-${at}` };
}
