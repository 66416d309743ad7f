import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import * as keys from '../../schemas/keys.ts';
import { caseObjects } from './arbitrary.ts';

/** As much as the API server lets all annotations of an object have together (apimachinery TotalAnnotationSizeLimitB). */
const MOST_CHARACTERS = 256 * 1024;

/** Texts that make an expression go back and forth, which reads a text in more than one way. */
export const longTexts: readonly string[] = ['1', 'a', '-', '.', ' ', '[', 'a.', 'a-', '1h', '1.', 'a,', '~', '/a']
  .flatMap((pump) => [
    `${pump.repeat(MOST_CHARACTERS / pump.length)}`,
    `a${pump.repeat(MOST_CHARACTERS / pump.length)}!`,
  ])
  .concat('-----BEGIN CERTIFICATE-----'.repeat(MOST_CHARACTERS / 27));

type Place = readonly string[];

/** Every text in the cases of all kinds, and every label and annotation that is known, as a place in an object that has it. */
export function textPlaces(): Array<[where: string, object: KubeObject, place: Place]> {
  const rows = caseObjects.map(withKnownKeys).flatMap((object) =>
    textsIn(object)
      .filter(([first]) => first !== 'apiVersion' && first !== 'kind')
      .map((place): [string, KubeObject, Place] => [`${object.kind} ${place.join('.')}`, object, place]),
  );
  return [...new Map(rows.map((row) => [row[0], row])).values()];
}

function withKnownKeys(object: KubeObject): KubeObject {
  const { labels, annotations } = object.metadata;
  const known = (prefix: string) =>
    Object.fromEntries(
      Object.entries(keys).flatMap(([name, key]) =>
        name.startsWith(prefix) && typeof key === 'string' ? [[key, 'text']] : [],
      ),
    );
  const metadata = {
    ...object.metadata,
    labels: { ...known('LABEL_'), ...labels },
    annotations: { ...known('ANNOTATION_'), ...annotations },
  };
  return { ...object, metadata };
}

function textsIn(value: unknown, place: Place = []): Place[] {
  if (typeof value === 'string') return [place];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => textsIn(inner, [...place, key]));
}

/** A copy with another text at a place. */
export function withText(object: KubeObject, place: Place, text: string): KubeObject {
  const copy = structuredClone(object);
  let value = copy as unknown as Record<string, unknown>;
  for (const key of place.slice(0, -1)) value = value[key] as Record<string, unknown>;
  value[place.at(-1) ?? ''] = text;
  return copy;
}
