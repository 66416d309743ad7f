import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { ANNOTATION_CREATED_BY } from '../../schemas/keys.ts';
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

/** For every kind. What a MachineSet or MachineDeployment made says by its owner whom it is made for. */
export const createdBy: Default<KubeObject> = {
  id: 'created-by',
  field: CREATOR_FIELD,
  replaces: true,
  says: 'becomes the name of the user who creates the object, whatever it was, and is put back when an update leaves it out; on what a MachineSet or MachineDeployment makes it may be missing, or be that of its owner',
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
  says: 'is written by the webhook alone, when the object is created: leave it as it is',
  broken: (now, before, facts) => when((creatorIn(now) ?? '') !== (creatorIn(before) ?? '') && !isMakers(now, facts)),
};
