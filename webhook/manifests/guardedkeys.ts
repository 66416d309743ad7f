import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { celMeantBy } from '../../schemas/keypattern.ts';
import { machineGroup } from '../../schemas/kind.ts';
import { celText } from '../../schemas/policy.ts';
import { parsePath } from '../admission/fieldpath.ts';
import { type HeldFinalizer, type ProtectedKey, rowsIn } from '../admission/protectedkeys.ts';
import type { Table } from '../admission/table.ts';

/** What is guarded, in CEL, for the API server to judge by itself: made of the same tables as the webhook's own guard. */

/** Labels or annotations somewhere in an object. */
export interface GuardedMap {
  map: 'labels' | 'annotations';
  field: string;
  /** The rows that count there, for labels and annotations. */
  rows: readonly ProtectedKey[];
}

/** Every place where the tables guard keys. */
export const guardedMaps = (tables: readonly Table<KubeObject>[]): GuardedMap[] =>
  [...new Set(tables.flatMap(({ guarded }) => guarded))].flatMap((place) =>
    (['labels', 'annotations'] as const).map((map) => ({ map, field: `${place}.${map}`, rows: rowsIn(place) })),
  );

/** A field of an object, which is a variable of CEL, as an optional: `object.?spec.?providerID`. */
export const celField = (object: string, field: string): string => `${object}${parsePath(field).map(step).join('')}`;

const step = (segment: string): string => (/^\w+$/.test(segment) ? `.?${segment}` : `[?${celText(segment)}]`);

/** Whether one of the fields is another than it was. */
export const celDiffer = (fields: readonly string[]): string =>
  [...new Set(fields)].map((field) => `${celField('object', field)} != ${celField('oldObject', field)}`).join(' || ');

/** Whether a `key` of labels, or of annotations, is of one of the rows. */
export const celCovered = (rows: readonly ProtectedKey[], map: GuardedMap['map']): string =>
  rows
    .filter(({ only = map }) => only === map)
    .map(celMeantBy)
    .join(' || ') || 'false';

/** Whether the author of the request may override in the namespace of the object (hack/decisions/0000 5). */
export const CEL_MAY_OVERRIDE = `authorizer.group(${celText(machineGroup)}).resource('machines').namespace(request.namespace).check('override').allowed()`;

/** Most keys of one map that are compared: more would exceed the API server's cost limit for CEL, so such a map counts as touched. */
export const MOST_KEYS = 1_000;

/** Whether an update touches a protected key, in one expression without variables; of two maps of keys one may have too many. */
export const celKeysTouched = (tables: readonly Table<KubeObject>[]): string =>
  [...Map.groupBy(guardedMaps(tables), ({ rows }) => rows)]
    .map(([rows, maps]) => celAnyTouched(rows, maps))
    .join(' || ');

/** A row that counts among labels alone is looked for among annotations as well: that is a question too many, at the most. */
function celAnyTouched(rows: readonly ProtectedKey[], maps: readonly GuardedMap[]): string {
  const pairs = maps.map(
    ({ field }) => `[${celField('object', field)}.orValue({}), ${celField('oldObject', field)}.orValue({})]`,
  );
  const isCovered = celCovered(rows, 'labels');
  const isTouched = [
    `maps.exists(one, one.size() > ${MOST_KEYS})`,
    `maps[0].exists(key, (${isCovered}) && (!(key in maps[1]) || maps[0][key] != maps[1][key]))`,
    `maps[1].exists(key, (${isCovered}) && !(key in maps[0]))`,
  ];
  return `[${pairs.join(', ')}].exists(maps, maps[0] != maps[1] && (${isTouched.join(' || ')}))`;
}

/** Whether an update takes off a finalizer that is held by an annotation of the stored object. */
export const celHeldDropped = (held: HeldFinalizer): string =>
  `(${celCarries(held, 'oldObject')} && !(${celCarries(held, 'object')}) && ${celHeld(held)})`;

/** Whether an annotation holds an object to be deleted that the finalizer does not keep: somebody took it off before, while nothing held it. */
export const celHeldUnkept = (held: HeldFinalizer): string =>
  `(!(${celCarries(held, 'oldObject')}) && ${celHeld(held)})`;

const celCarries = ({ finalizer }: HeldFinalizer, object: string): string =>
  `${celText(finalizer)} in ${celField(object, 'metadata.finalizers')}.orValue([])`;

const celHeld = ({ annotations }: HeldFinalizer): string =>
  `${celField('oldObject', 'metadata.annotations')}.orValue({}).exists(key, ${celMeantBy({ keys: annotations })})`;
