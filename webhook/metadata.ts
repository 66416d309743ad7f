import type { KubeObject } from '../controller/runtime/object.ts';
import { isLabelKey, labelFindings } from '../schemas/selector.ts';
import { isRecord, type Path, parsePath, valueAt } from './path.ts';
import type { Breach, Rule } from './rules.ts';

/** Labels and annotations of what is made later: the API server would refuse them only then. */

/** Together, as for any object (apimachinery validation.TotalAnnotationSizeLimitB). */
const MOST_ANNOTATION_BYTES = 256 * 1024;

/** The metadata in the spec of a Machine, and in the template of a set or deployment. */
export const nodeMetadata = metadataRules({ idPrefix: '', root: 'spec', places: ['.nodeTemplate.metadata'] });
export const templateMetadata = metadataRules({
  idPrefix: 'template-',
  root: 'spec.template',
  places: ['.metadata', '.spec.nodeTemplate.metadata'],
});

interface MetadataPlaces {
  idPrefix: string;
  root: string;
  /** Below the root. */
  places: readonly string[];
}

function metadataRules({ idPrefix, root, places }: MetadataPlaces): readonly Rule<KubeObject>[] {
  const mapsOf = (name: string) =>
    places.map((place) => `${place}.${name}`).map((place) => ({ place, path: parsePath(root + place) }));
  const labels = mapsOf('labels');
  const annotations = mapsOf('annotations');
  return [
    {
      id: `${idPrefix}labels-valid`,
      on: ['create', 'update'],
      field: root,
      reads: labels.map(({ place }) => root + place),
      copied: true,
      says: 'must have labels that a machine and its Node can carry',
      broken: (now, before) =>
        labels.flatMap(({ place, path }) => changedIn({ now, before, path }).flatMap(labelBreaches(place))),
    },
    {
      id: `${idPrefix}annotations-valid`,
      on: ['create', 'update'],
      field: root,
      reads: annotations.map(({ place }) => root + place),
      copied: true,
      says: 'must have annotations that a machine and its Node can carry, of 256 KiB at most',
      broken: (now, before) =>
        annotations.flatMap(({ place, path }) => annotationBreaches(place, changedIn({ now, before, path }))),
    },
  ];
}

interface Compared {
  now: KubeObject;
  before: KubeObject | undefined;
  path: Path;
}

/** The entries of a map that are new or have another value: what was there already is left alone. */
function changedIn({ now, before, path }: Compared): Array<[key: string, value: string]> {
  const entries = valueAt(now, path);
  if (!isRecord(entries)) return [];
  const known = valueAt(before, path);
  // What is inherited is no text, so it equals none.
  const old = isRecord(known) ? known : {};
  return Object.entries(entries).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== old[entry[0]],
  );
}

const labelBreaches =
  (place: string) =>
  ([key, value]: [string, string]): Breach[] =>
    labelFindings(`${place}[${key}]`, key, value).map(({ at, message }) => ({ at, says: message }));

/** Keys of annotations may have upper case letters in their prefix (apimachinery validation.ValidateAnnotations). */
function annotationBreaches(place: string, entries: ReadonlyArray<[string, string]>): Breach[] {
  const bytes = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  return [
    ...entries
      .filter(([key]) => !isLabelKey(key.toLowerCase()))
      .map(([key]) => ({ at: `${place}[${key}]`, says: 'is no key of an annotation: write name or prefix/name' })),
    ...(bytes > MOST_ANNOTATION_BYTES
      ? [{ at: place, says: 'is larger than 256 KiB, which no object can carry' }]
      : []),
  ];
}
