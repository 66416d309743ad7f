import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { ANNOTATION_CREATED_BY, FINALIZER } from '../../schemas/keys.ts';
import type { Facts } from '../admission/context.ts';
import type { Default } from '../admission/defaults.ts';
import { makerOf } from '../admission/maker.ts';
import { type Rule, when } from '../admission/rule.ts';

/** Where the name of the creator stands. */
export const CREATOR_FIELD = `metadata.annotations[${ANNOTATION_CREATED_BY}]`;

const creatorIn = (object: KubeObject | undefined): string | undefined =>
  object?.metadata.annotations?.[ANNOTATION_CREATED_BY];

/**
 * Whether the annotation is none, or that of what made the object out of its template: MCM copies all annotations of a
 * deployment to its sets, and does so again and again. What is in the template of a Machine is its author's word alone.
 */
function isMakers(object: KubeObject, facts: Facts): boolean {
  const maker = makerOf(object, facts);
  const creator = creatorIn(object);
  return maker !== undefined && (creator === undefined || creator === creatorIn(maker));
}

/**
 * Who replaces an object by its file leaves out what keeps it, too: one that is being deleted would go, and a class before its
 * machines. Who knows who made the object knows what takes off (hack/decisions/0051 U36).
 */
const finalizerStays: Default<KubeObject> = {
  id: 'finalizer-stays',
  field: 'metadata.finalizers',
  replaces: true,
  description: 'stays on an object that is being deleted, when an update leaves out who made it as well',
  value(now, { before }) {
    if (!before?.metadata.deletionTimestamp || creatorIn(now) !== undefined) return undefined;
    const isDropped = before.metadata.finalizers?.includes(FINALIZER) && !now.metadata.finalizers?.includes(FINALIZER);
    return isDropped && creatorIn(before) !== undefined ? [...(now.metadata.finalizers ?? []), FINALIZER] : undefined;
  },
};

/** For every kind. What a MachineSet or MachineDeployment made says by its owner whom it is made for. */
export const createdBy: Default<KubeObject> = {
  id: 'created-by',
  field: CREATOR_FIELD,
  replaces: true,
  // Who replaces a class by its file, as Gardener does, knows nothing of it (hack/decisions/0051 U36).
  stays: { with: finalizerStays },
  description:
    'becomes the name of the user who creates the object, whatever it was, and is put back when an update leaves it out, our finalizer with it on an object that is being deleted; on what a MachineSet or MachineDeployment makes it may be missing, or be that of its owner',
  value(now, { before, user, facts }) {
    if (isMakers(now, facts)) return undefined;
    if (!before) return user || undefined;
    return creatorIn(now) === undefined ? creatorIn(before) : undefined;
  },
};

/** For every kind. Who forges it on an object that leaves has another blamed for what is left behind (hack/decisions/0028 T13). */
export const createdByStays: Rule<KubeObject> = {
  id: 'created-by-stays',
  on: ['update'],
  field: CREATOR_FIELD,
  always: true,
  reason: 'FieldValueForbidden',
  message: 'is written by the webhook alone, when the object is created: leave it as it is',
  validate: (now, before, facts) => when((creatorIn(now) ?? '') !== (creatorIn(before) ?? '') && !isMakers(now, facts)),
};
