import { ANNOTATION_CREATED_BY, LABEL_CLUSTER } from '../../schemas/keys.ts';
import { kinds } from '../../schemas/kinds.ts';
import { celText, type Policy, type Validation } from '../../schemas/policy.ts';
import { heldFinalizer, machineClaims, type ProtectedKey, protectedKeys } from '../admission/protectedkeys.ts';
import { CREATOR_FIELD } from '../rules/createdby.ts';
import { tables } from '../rules/kinds/registry.ts';
import {
  CEL_MAY_OVERRIDE,
  celCovered,
  celDiffer,
  celField,
  celHeldDropped,
  celHeldUnkept,
  type GuardedMap,
  guardedMaps,
  MOST_KEYS,
} from './guardedkeys.ts';

/** What the API server refuses by itself: also while no webhook answers, and in namespaces that the webhook does not guard. */

const VERB =
  'the verb override on machines.machine.sapcloud.io, which you do not have; ask for it, or leave them as they are';

const asked = (plurals: readonly string[], operations: Policy['asked'][number]['operations']): Policy['asked'] =>
  [
    ...Map.groupBy(
      kinds.filter(({ plural }) => plurals.includes(plural)),
      ({ group }) => group,
    ),
  ].map(([group, own]) => ({
    group,
    version: 'v1alpha1',
    resources: own.map(({ plural }) => plural),
    operations,
  }));

/** A place of keys as variables: `labels` and `oldLabels`, `templateLabels` and `oldTemplateLabels`. */
interface GuardedPlace extends GuardedMap {
  now: string;
  before: string;
}

function placeOf(guarded: GuardedMap): GuardedPlace {
  const { map, field } = guarded;
  const isTemplate = field.startsWith('spec.template.');
  const upper = `${map[0]?.toUpperCase()}${map.slice(1)}`;
  return {
    ...guarded,
    now: isTemplate ? `template${upper}` : map,
    before: `old${isTemplate ? 'Template' : ''}${upper}`,
  };
}

const placeVariables = (places: readonly GuardedPlace[]) =>
  Object.fromEntries(
    places.flatMap(({ field, now, before }) => [
      [now, `${celField('object', field)}.orValue({})`],
      [before, `request.operation == 'UPDATE' ? ${celField('oldObject', field)}.orValue({}) : {}`],
    ]),
  );

const inVariables = ({ now, before }: GuardedPlace) => [`variables.${now}`, `variables.${before}`];

const tooMany = (places: readonly GuardedPlace[]): string =>
  places
    .map(inVariables)
    .map(([now, before]) => `${now} != ${before} && (${now}.size() > ${MOST_KEYS} || ${before}.size() > ${MOST_KEYS})`)
    .join(' || ');

const changedIn = (places: readonly GuardedPlace[]): string =>
  places
    .map(inVariables)
    .map(
      ([now, before]) =>
        `${now}.filter(key, !(key in ${before}) || ${now}[key] != ${before}[key]) + ${before}.filter(key, !(key in ${now}))`,
    )
    .join(' + ');

const touchedBy = (row: ProtectedKey): string =>
  (['labels', 'annotations'] as const)
    .map((map) => ({ list: changedOf(map), is: celCovered([row], map) }))
    .filter(({ is }) => is !== 'false')
    .map(({ list, is }) => `variables.${list}.filter(key, ${is})`)
    .join(' + ');

const changedOf = (map: GuardedMap['map']): string => (map === 'labels' ? 'changedLabels' : 'changedAnnotations');

/** A policy that guards the rows in all places where they count: one for each set of rows, for the API server bounds what each may cost. */
function keysPolicy({ id, why }: Pick<Policy, 'id' | 'why'>, of: ProtectedKey['of']): Policy {
  const counts = ({ field, rows }: GuardedMap) =>
    rows.some((row) => row.of === of && (row.only ?? mapIn(field)) === mapIn(field));
  const places = guardedMaps(tables).filter(counts).map(placeOf);
  const rows = protectedKeys.filter((row) => row.of === of);
  const has = (table: (typeof tables)[number]) => guardedMaps([table]).some(counts);
  const changed = [...Map.groupBy(places, ({ map }) => map)];
  return {
    id,
    why,
    asked: asked(
      tables.filter(has).map(({ kind }) => kind.plural),
      ['CREATE', 'UPDATE'],
    ),
    variables: {
      ...placeVariables(places),
      tooMany: tooMany(places),
      ...Object.fromEntries(
        changed.map(([map, its]) => [changedOf(map), `variables.tooMany ? [] : ${changedIn(its)}`]),
      ),
      mayOverride: CEL_MAY_OVERRIDE,
    },
    judged: [
      {
        expression: '!variables.tooMany || variables.mayOverride',
        message: `there are more than ${MOST_KEYS} labels or annotations in one place, more than can be looked through for protected keys: to write so many it takes ${VERB}`,
      },
      ...rows.map(keyJudged),
    ],
  };
}

const mapIn = (field: string): GuardedMap['map'] => (field.endsWith('.labels') ? 'labels' : 'annotations');

function keyJudged(row: ProtectedKey): Validation {
  const message = `protected, because it ${row.description}: to add, change or remove it takes ${VERB}`;
  return {
    expression: `(${touchedBy(row)}).size() == 0 || variables.mayOverride`,
    message: `${row.keys.join(', ')}: ${message}`,
    ...(row.keys.some((key) => key.includes('*')) && {
      messageExpression: `(${touchedBy(row)}).join(', ') + ${celText(`: ${message}`)}`,
    }),
  };
}

const protectedKeysPolicy = keysPolicy(
  { id: 'protected-keys', why: 'labels and annotations that only those touch who may override' },
  undefined,
);

const nodeKeysPolicy = keysPolicy(
  { id: 'node-keys', why: 'labels of Nodes that no kubelet may set are set by those who may override' },
  'nodes',
);

const claimsPolicy: Policy = {
  id: 'claims',
  why: 'which Node and which VM are whose is said on creation, and later by those who may override',
  asked: asked(['machines'], ['UPDATE']),
  judged: machineClaims.map(({ field, description }) => ({
    expression: `${celField('object', field)}.orValue('') == ${celField('oldObject', field)}.orValue('') || ${CEL_MAY_OVERRIDE}`,
    message: `${field}: ${description}: after creation it takes ${VERB}`,
  })),
};

const heldFinalizerPolicy: Policy = {
  id: 'held-finalizer',
  why: 'what those who may override hold is not let go of by its finalizer',
  asked: asked(['machines'], ['UPDATE', 'DELETE']),
  judged: [
    {
      expression: `request.operation != 'UPDATE' || !${celHeldDropped(heldFinalizer)} || ${CEL_MAY_OVERRIDE}`,
      message: `metadata.finalizers: ${heldFinalizer.finalizer} ${heldFinalizer.description}: to take it off it takes ${VERB}`,
    },
    {
      expression: `request.operation != 'DELETE' || !${celHeldUnkept(heldFinalizer)} || ${CEL_MAY_OVERRIDE}`,
      message: `metadata.finalizers: ${heldFinalizer.finalizer} ${heldFinalizer.description}, and is not there: to delete the machine without it takes ${VERB}`,
    },
  ],
};

/** What a set or deployment copies to what it made takes the verb here, which those controllers have: no policy sees an owner. */
const createdByPolicy: Policy = {
  id: 'created-by',
  why: 'who made an object stays as the webhook wrote it',
  asked: asked(
    tables.map(({ kind }) => kind.plural),
    ['UPDATE'],
  ),
  judged: [
    {
      expression: `${celField('object', CREATOR_FIELD)}.orValue('') == ${celField('oldObject', CREATOR_FIELD)}.orValue('') || ${CEL_MAY_OVERRIDE}`,
      message: `metadata.annotations[${ANNOTATION_CREATED_BY}]: tells who made the object: after creation it takes ${VERB}`,
    },
  ],
};

const CLUSTER_FIELDS = ['metadata', 'spec.template.metadata'].map((place) => `${place}.labels[${LABEL_CLUSTER}]`);

const clusterLabelPolicy: Policy = {
  id: 'cluster-label',
  why: 'machines do not move between clusters, nor into one while they leave',
  asked: asked(['machines', 'machinesets', 'machinedeployments'], ['UPDATE']),
  only: { 'cluster-changes': celDiffer(CLUSTER_FIELDS) },
  variables: {
    named: `${celField('oldObject', CLUSTER_FIELDS[0] ?? '')}.orValue('')`,
    joins: `variables.named != ${celField('object', CLUSTER_FIELDS[0] ?? '')}.orValue('')`,
  },
  judged: [
    ...CLUSTER_FIELDS.map((field) => ({
      expression: `${celField('oldObject', field)}.orValue('') in ['', ${celField('object', field)}.orValue('')]`,
      message: `${field}: is set once: it can neither be changed nor removed, because machines do not move between clusters; make a new object for the other cluster`,
    })),
    {
      expression: '!variables.joins || !has(oldObject.metadata.deletionTimestamp)',
      message: `${CLUSTER_FIELDS[0]}: can no longer be set: the object is being deleted, and leaves the cluster that it was in`,
    },
    {
      expression: "!variables.joins || oldObject.?spec.?providerID.orValue('') == ''",
      message: `${CLUSTER_FIELDS[0]}: can no longer be set: the machine has a VM (spec.providerID), and a VM does not move into a cluster; make a new Machine that carries the label`,
    },
  ],
};

/** Every policy about our kinds, whoever writes them. */
export const policies: readonly Policy[] = [
  protectedKeysPolicy,
  nodeKeysPolicy,
  claimsPolicy,
  heldFinalizerPolicy,
  createdByPolicy,
  clusterLabelPolicy,
];

/** What a webhook is, but for the authority of its certificate: all fields of admissionregistration.k8s.io/v1. */
const REGISTERED = [
  'admissionReviewVersions',
  'failurePolicy',
  'matchConditions',
  'matchPolicy',
  'namespaceSelector',
  'objectSelector',
  'reinvocationPolicy',
  'rules',
  'sideEffects',
  'timeoutSeconds',
].map((field) => `?${field}`);
const REACHED = ['?service', '?url'].map((field) => `clientConfig.${field}`);

const isSame = [...REGISTERED, ...REACHED].map((field) => `one.${field} == other.${field}`).join(' && ');
const METADATA = ['labels', 'annotations', 'ownerReferences', 'finalizers'].map((field) => `metadata.?${field}`);

/** Who has taken a pod of the webhook, the one with an open port, must not send all of the cluster's objects elsewhere. */
const registrationPolicy: Policy = {
  id: 'registration',
  account: 'webhook',
  why: 'the webhook changes nothing of its registration but the authority of its certificate',
  asked: [
    {
      group: 'admissionregistration.k8s.io',
      version: 'v1',
      resources: ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'],
      operations: ['CREATE', 'UPDATE', 'DELETE'],
    },
  ],
  judged: [
    {
      expression: `request.operation == 'UPDATE' && ${METADATA.map((field) => `object.${field} == oldObject.${field}`).join(' && ')} && object.webhooks.size() == oldObject.webhooks.size() && object.webhooks.all(one, oldObject.webhooks.exists_one(other, other.name == one.name && ${isSame}))`,
      message: 'the webhook changes nothing of a registration but clientConfig.caBundle',
    },
  ],
};

/** Every policy for the webhook's account. */
export const accountPolicies: readonly Policy[] = [registrationPolicy];
