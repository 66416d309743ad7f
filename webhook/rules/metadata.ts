import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { isObject } from '../../schemas/same.ts';
import { finalizerFindings, isLabelKey, isLabelValue, labelFindings } from '../../schemas/selector.ts';
import { type Path, parsePath, valueAt } from '../admission/fieldpath.ts';
import { memoize } from '../admission/memoize.ts';
import type { Rule } from '../admission/rule.ts';
import type { Violation } from '../providers/violation.ts';

/** Labels and annotations of what is made later: the API server would refuse them only then. */

/** Together, as for any object (apimachinery validation.TotalAnnotationSizeLimitB). */
const MOST_ANNOTATION_BYTES = 256 * 1024;

/** The metadata in the spec of a Machine, and in the template of a set or deployment. */
export const nodeMetadata = metadataRules({ idPrefix: '', root: 'spec', places: ['.nodeTemplate.metadata'] });
export const templateMetadata = [
  ...metadataRules({
    idPrefix: 'template-',
    root: 'spec.template',
    places: ['.metadata', '.spec.nodeTemplate.metadata'],
  }),
  finalizersValid(),
];

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
      warnIfCopied: true,
      message: 'must have labels that a machine and its Node can carry',
      validate: (now, before) => labels.flatMap((at) => labelBreaches({ now, before, ...at })),
    },
    {
      id: `${idPrefix}annotations-valid`,
      on: ['create', 'update'],
      field: root,
      reads: annotations.map(({ place }) => root + place),
      warnIfCopied: true,
      message: 'must have annotations that a machine and its Node can carry, of 256 KiB at most',
      validate: (now, before) => annotations.flatMap((at) => annotationViolations({ now, before, ...at })),
    },
  ];
}

/** Machines are born with them (hack/decisions/0051 U16). */
function finalizersValid(): Rule<KubeObject> {
  const field = 'spec.template.metadata.finalizers';
  const path = parsePath(field);
  return {
    id: 'template-finalizers-valid',
    on: ['create', 'update'],
    field,
    warnIfCopied: true,
    message: 'must be finalizers that a machine can carry',
    validate(now, before) {
      const findings = finalizerFindings('', stringsAt(now, path), stringsAt(before, path));
      return findings.map(({ at, message }) => ({ at, message }));
    },
  };
}

interface Compared {
  now: KubeObject;
  before: KubeObject | undefined;
  /** Below the root of the rule. */
  place: string;
  path: Path;
}

type Entries = ReadonlyArray<[key: string, value: string]>;

/** The texts of a map that are picked: few are, so that a list is made of those alone. */
function textsAt(
  object: KubeObject | undefined,
  path: Path,
  isPicked: (key: string, value: string) => boolean,
): Entries {
  const map = valueAt(object, path);
  if (!isObject(map)) return [];
  const picked: Array<[string, string]> = [];
  for (const key of Object.keys(map)) {
    const value = map[key];
    if (typeof value === 'string' && isPicked(key, value)) picked.push([key, value]);
  }
  return picked;
}

function stringsAt(object: KubeObject | undefined, path: Path): string[] {
  const list = valueAt(object, path);
  return Array.isArray(list) ? list.filter((entry) => typeof entry === 'string') : [];
}

/** New, or of another value: what was there already is left alone. What is inherited is no text, so it equals none. */
function changedIn(before: KubeObject | undefined, path: Path): (entry: [key: string, value: string]) => boolean {
  const known = valueAt(before, path);
  const old = isObject(known) ? known : {};
  return ([key, value]) => old[key] !== value;
}

/** The same keys come with every object. */
const isLabel = memoize(isLabelKey);
const isAnnotation = memoize((key) => isLabelKey(key.toLowerCase()));

/** Few are wrong, so only those are compared with what was there. */
const labelBreaches = ({ now, before, place, path }: Compared): Violation[] =>
  textsAt(now, path, (key, value) => !isLabel(key) || !isLabelValue(value))
    .filter(changedIn(before, path))
    .flatMap(([key, value]) => labelFindings(`${place}[${key}]`, key, value))
    .map(({ at, message }) => ({ at, message }));

/** Keys of annotations may have upper case letters in their prefix (apimachinery validation.ValidateAnnotations). */
function annotationViolations({ now, before, place, path }: Compared): Violation[] {
  let length = 0;
  const misnamed = textsAt(now, path, (key, value) => {
    length += key.length + value.length;
    return !isAnnotation(key);
  });
  const isLarge = length > LEAST_LENGTH && bytesAdded(now, before, path) > MOST_ANNOTATION_BYTES;
  return [
    ...misnamed
      .filter(changedIn(before, path))
      .map(([key]) => ({ at: `${place}[${key}]`, message: 'is no key of an annotation: write name or prefix/name' })),
    ...(isLarge ? [{ at: place, message: 'is larger than 256 KiB, which no object can carry' }] : []),
  ];
}

/** Shorter texts cannot be too large: a unit of a text's length is three bytes at most. */
const LEAST_LENGTH = MOST_ANNOTATION_BYTES / 3;

const bytesAdded = (now: KubeObject, before: KubeObject | undefined, path: Path): number =>
  textsAt(now, path, () => true)
    .filter(changedIn(before, path))
    .reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
