import type { KubeObject } from '../controller/runtime/object.ts';
import { isLabelKey, isLabelValue, labelFindings } from '../schemas/selector.ts';
import { isRecord, type Path, parsePath, valueAt } from './path.ts';
import { remembered } from './remembered.ts';
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
      broken: (now, before) => labels.flatMap((at) => labelBreaches({ now, before, ...at })),
    },
    {
      id: `${idPrefix}annotations-valid`,
      on: ['create', 'update'],
      field: root,
      reads: annotations.map(({ place }) => root + place),
      copied: true,
      says: 'must have annotations that a machine and its Node can carry, of 256 KiB at most',
      broken: (now, before) => annotations.flatMap((at) => annotationBreaches({ now, before, ...at })),
    },
  ];
}

interface Compared {
  now: KubeObject;
  before: KubeObject | undefined;
  /** Below the root of the rule. */
  place: string;
  path: Path;
}

/** The texts of a map. */
function entriesAt(object: KubeObject | undefined, path: Path): Array<[key: string, value: string]> {
  const map = valueAt(object, path);
  if (!isRecord(map)) return [];
  return Object.entries(map).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
}

/** New, or of another value: what was there already is left alone. What is inherited is no text, so it equals none. */
function changedIn(before: KubeObject | undefined, path: Path): (entry: [key: string, value: string]) => boolean {
  const known = valueAt(before, path);
  const old = isRecord(known) ? known : {};
  return ([key, value]) => old[key] !== value;
}

/** The same keys come with every object. */
const isLabel = remembered(isLabelKey);
const isAnnotation = remembered((key) => isLabelKey(key.toLowerCase()));

/** Few are wrong, so only those are compared with what was there. */
const labelBreaches = ({ now, before, place, path }: Compared): Breach[] =>
  entriesAt(now, path)
    .filter(([key, value]) => !isLabel(key) || !isLabelValue(value))
    .filter(changedIn(before, path))
    .flatMap(([key, value]) => labelFindings(`${place}[${key}]`, key, value))
    .map(({ at, message }) => ({ at, says: message }));

/** Keys of annotations may have upper case letters in their prefix (apimachinery validation.ValidateAnnotations). */
function annotationBreaches({ now, before, place, path }: Compared): Breach[] {
  const changed = changedIn(before, path);
  const entries = entriesAt(now, path);
  return [
    ...entries
      .filter(([key]) => !isAnnotation(key))
      .filter(changed)
      .map(([key]) => ({ at: `${place}[${key}]`, says: 'is no key of an annotation: write name or prefix/name' })),
    ...(mayBeTooLarge(entries) && bytesOf(entries.filter(changed)) > MOST_ANNOTATION_BYTES
      ? [{ at: place, says: 'is larger than 256 KiB, which no object can carry' }]
      : []),
  ];
}

type Entries = ReadonlyArray<[key: string, value: string]>;

/** A character is three bytes at most for each unit of its length. */
const mayBeTooLarge = (entries: Entries): boolean =>
  3 * entries.reduce((sum, [key, value]) => sum + key.length + value.length, 0) > MOST_ANNOTATION_BYTES;

const bytesOf = (entries: Entries): number =>
  entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
