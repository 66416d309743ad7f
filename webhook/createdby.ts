import { controllerOf, type KubeObject } from '../controller/runtime/object.ts';
import { ANNOTATION_CREATED_BY } from '../schemas/keys.ts';
import type { Default } from './defaults.ts';
import { type Rule, when } from './rules.ts';

const FIELD = `metadata.annotations[${ANNOTATION_CREATED_BY}]`;

const creatorIn = (object: KubeObject | undefined): string | undefined =>
  object?.metadata.annotations?.[ANNOTATION_CREATED_BY];

/**
 * For every kind. What a controller made says by its owner whom it is made for; there the annotation is nobody's
 * business, for MCM copies all annotations of a deployment to its sets, and would do so again and again.
 */
export const createdBy: Default<KubeObject> = {
  id: 'created-by',
  field: FIELD,
  replaces: true,
  says: 'becomes the name of the user who creates the object, whatever it was, and is put back when an update leaves it out; it is left alone on objects that a controller owns',
  value(now, { before, user }) {
    if (controllerOf(now)) return undefined;
    if (!before) return user || undefined;
    return creatorIn(now) === undefined ? creatorIn(before) : undefined;
  },
};

/** For every kind. */
export const createdByStays: Rule<KubeObject> = {
  id: 'created-by-stays',
  on: ['update'],
  field: FIELD,
  reason: 'FieldValueForbidden',
  says: 'is written by the webhook alone, when the object is created: leave it as it is',
  broken: (now, before) => when(!controllerOf(now) && creatorIn(now) !== creatorIn(before)),
};
