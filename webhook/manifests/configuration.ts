import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { NAMESPACE } from '../../schemas/access.ts';
import { version } from '../../schemas/kind.ts';
import type { Default } from '../admission/defaults.ts';
import { parsePath } from '../admission/fieldpath.ts';
import { type Operation, type Rule, readsOf } from '../admission/rule.ts';
import type { Table } from '../admission/table.ts';
import { CEL_MAY_OVERRIDE, celDiffer, celHeldDropped, celKeysTouched } from './guardedkeys.ts';

type Tables = readonly Table<KubeObject>[];

/** Name of both webhook configurations. */
export const CONFIGURATION = 'drover';

/** Name of the Service through which the API server calls the webhook. */
export const SERVICE = 'drover-webhook';

const API_VERSION = 'admissionregistration.k8s.io/v1';

/** How the API server is told to ask before it stores an object; without a caBundle, which the webhook fills in itself. */
export const validatingConfiguration = (tables: Tables) => ({
  apiVersion: API_VERSION,
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: CONFIGURATION },
  webhooks: [
    webhook({
      name: 'validate',
      path: '/validate',
      tables,
      operations: operationsOf(tables),
      matchConditions: matchConditions(tables, heldDropped(tables)),
    }),
    guarding(tables),
    scaling(tables.filter(({ kind }) => kind.scale)),
    ...terminating(tables.filter(({ rules }) => rules.some(({ on }) => on.includes('delete')))),
  ],
});

/** How the API server is told to have objects changed: of kinds that have defaults, and fields that MCM does not know. */
export const mutatingConfiguration = (tables: Tables) => ({
  apiVersion: API_VERSION,
  kind: 'MutatingWebhookConfiguration',
  metadata: { name: CONFIGURATION },
  webhooks: [
    completing(tables.filter(({ defaults, kind }) => defaults.length + kind.superset.length > 0)),
    keeping(tables.filter(({ kind, defaults }) => kind.superset.length + defaults.filter(isStaying).length > 0)),
  ].map((one) => ({ ...one, reinvocationPolicy: 'IfNeeded' })),
});

const completing = (tables: Tables) =>
  webhook({
    name: 'mutate',
    path: '/mutate',
    tables,
    operations: ['CREATE', 'UPDATE'],
    matchConditions: matchConditions(tables),
  });

/**
 * Where nothing may wait for the webhook: the compatibility shield on a status and on an object that is being deleted, defaults that
 * stay on one, and owners that are added. Asked only when something is about to be lost; while the webhook is down it is, and the controller reports anew
 * what was dropped.
 */
const keeping = (tables: Tables) =>
  webhook({
    name: 'keep',
    path: '/mutate',
    tables,
    parts: ['', '/status'],
    operations: ['UPDATE'],
    matchConditions: [{ name: 'something-dropped-or-owner-added', expression: dropped(tables) }],
    failurePolicy: 'Ignore',
  });

/**
 * An object that is being deleted is exempt from rules, never from privilege: asked only when something guarded differs, so
 * that finalizers come off while the webhook is down. Those who may override are asked about only where that does not help.
 */
const guarding = (tables: Tables) =>
  webhook({
    name: 'guard',
    path: '/validate',
    tables,
    operations: ['UPDATE'],
    matchConditions: [
      { name: 'being-deleted', expression: 'has(oldObject.metadata.deletionTimestamp)' },
      { name: 'something-guarded-changed', expression: guardedChanged(tables) },
    ],
  });

/** What a rule judges on what is being deleted, too; protected keys; claims; and finalizers that are held. */
function guardedChanged(tables: Tables): string {
  const fields = tables.flatMap(({ rules }) => rules.filter(({ always }) => always).flatMap((rule) => readsOf(rule)));
  const claims = celDiffer(tables.flatMap(({ claims = [] }) => claims.map(({ field }) => field)));
  const touched = [celKeysTouched(tables), claims, ...heldDropped(tables)].filter(Boolean).join(' || ');
  return [celDiffer(fields), `(${touched}) && !${CEL_MAY_OVERRIDE}`].filter(Boolean).join(' || ');
}

const heldDropped = (tables: Tables): string[] => tables.flatMap(({ held }) => (held ? [celHeldDropped(held)] : []));

/** A scale is refused for want of an answer only if there is a rule that could refuse it. */
function scaling(tables: Tables) {
  const touched = ['spec', 'spec.replicas'];
  const judging = tables.flatMap(({ rules }) =>
    rules.filter((rule) => readsOf(rule).some((at) => touched.includes(at))),
  );
  return webhook({
    name: 'scale',
    path: '/validate',
    tables,
    parts: ['/scale'],
    operations: ['UPDATE'],
    matchConditions: [{ name: 'replicas-changed', expression: 'object.?spec != oldObject.?spec' }],
    failurePolicy: judging.some(({ level }) => level !== 'warn') ? 'Fail' : 'Ignore',
  });
}

/** Whether an object says itself that it must not be deleted. */
const protection = (comparison: '==' | '!='): string =>
  `oldObject.?spec.?deletionProtection ${comparison} optional.of(true)`;

const STAYS = { name: 'not-being-deleted', expression: '!has(oldObject.metadata.deletionTimestamp)' };

/** While the webhook is down, everything can be deleted that is not protected. */
const terminating = (tables: Tables) => [
  webhook({
    name: 'protect',
    path: '/validate',
    tables,
    operations: ['DELETE'],
    matchConditions: [STAYS, { name: 'protected', expression: protection('==') }],
  }),
  webhook({
    name: 'delete',
    path: '/validate',
    tables,
    operations: ['DELETE'],
    matchConditions: [STAYS, { name: 'not-protected', expression: protection('!=') }],
    failurePolicy: 'Ignore',
  }),
];

interface Registered {
  name: string;
  path: string;
  /** Of the kinds that are asked about. */
  tables: Tables;
  /** What of them: their subresources after a slash, and nothing for the objects themselves, which is the default. */
  parts?: readonly string[];
  operations: readonly string[];
  matchConditions: ReadonlyArray<{ name: string; expression: string }>;
  /** What becomes of a request while the webhook is down; `Fail` refuses it, and is the default. */
  failurePolicy?: 'Fail' | 'Ignore';
}

/** Only our own groups are asked about, so that a webhook which is down can hurt nobody else. */
const webhook = ({ name, path, matchConditions, failurePolicy = 'Fail', ...asked }: Registered) => ({
  name: `${name}.drover.dev`,
  admissionReviewVersions: ['v1'],
  clientConfig: { service: { name: SERVICE, namespace: NAMESPACE, path, port: 443 } },
  rules: rulesFor(asked),
  matchConditions,
  failurePolicy,
  matchPolicy: 'Equivalent',
  sideEffects: 'None',
  timeoutSeconds: 5,
});

/** One rule for each API group. */
const rulesFor = ({ tables, parts = [''], operations }: Pick<Registered, 'tables' | 'parts' | 'operations'>) =>
  [...Map.groupBy(tables, ({ kind }) => kind.group)].map(([group, own]) => ({
    apiGroups: [group],
    apiVersions: [version],
    resources: own.flatMap(({ kind }) => parts.map((part) => kind.plural + part)),
    operations,
    scope: 'Namespaced',
  }));

/** Protected keys are guarded whenever an object is written, whatever the rules need. */
function operationsOf(tables: Tables): string[] {
  const needed = tables.flatMap(({ rules }) => rules.flatMap(({ on }) => on));
  const written = needed.filter((operation) => operation !== 'delete');
  return [...new Set<Operation>(['create', 'update', ...written])].map((operation) => operation.toUpperCase());
}

/** Keeps out of the way of deletions and of writes to finalizers that nobody holds, so that these go on while the webhook is down. */
function matchConditions(tables: Tables, others: readonly string[] = []) {
  const changed = partsOf(tables).map((part) => `object.${part} != oldObject.${part}`);
  return [
    {
      name: 'not-being-deleted',
      expression: "request.operation != 'UPDATE' || !has(oldObject.metadata.deletionTimestamp)",
    },
    {
      name: 'something-to-judge-changed',
      expression: ["request.operation != 'UPDATE'", ...changed, ...others].join(' || '),
    },
  ];
}

/** The parts of objects that the tables look at, as optional selections in CEL: `metadata.?labels`, `?spec`. */
function partsOf(tables: Tables): string[] {
  const fields = tables.flatMap(({ rules, defaults, guarded, kind }) => [
    ...rules.filter(isOfWrites).flatMap((rule) => readsOf(rule)),
    ...defaults.map(({ field }) => field),
    ...guarded.flatMap((metadata) => [`${metadata}.annotations`, `${metadata}.labels`]),
    ...kind.superset.map(({ field }) => field).filter((field) => !isOfStatus(field)),
  ]);
  const parts = fields
    .map(parsePath)
    .map(([first, second]) => (first === 'metadata' ? `metadata.?${second}` : `?${first}`));
  return [...new Set(parts)].sort();
}

/** A part of the status is gone, the spec of an object that is being deleted has changed, or what stays on it, or an owner is named that it did not have. */
function dropped(tables: Tables): string {
  const fields = tables.flatMap(({ kind }) => kind.superset.map(({ field }) => field)).filter(isOfStatus);
  const names = [...new Set(fields)].map((field) => `'${parsePath(field).at(-1)}'`);
  const gone = `[${names.join(', ')}].exists(f, f in oldObject.?status.orValue({}) && !(f in object.?status.orValue({})))`;
  const stay = tables.flatMap(({ defaults }) => defaults.filter(isStaying).map(({ field }) => field));
  const changed = celDiffer(['spec', ...stay]);
  const terminating = `has(oldObject.metadata.deletionTimestamp) && (${changed})`;
  return `has(request.subResource) ? ${gone} : ${terminating} || ${OWNER_ADDED}`;
}

/**
 * Most owners of one object that are held against those it had, one by one: of some thousands that would exceed the API server's cost limit for
 * CEL, and the webhook would not be asked (hack/decisions/0028 T88).
 */
const MOST_OWNERS = 100;

const OWNERS = ['object', 'oldObject'].map((one) => `${one}.metadata.?ownerReferences.orValue([])`);
const [NOW, BEFORE] = OWNERS;
const TOO_MANY_OWNERS = OWNERS.map((owners) => `${owners}.size() > ${MOST_OWNERS}`).join(' || ');
const OWNER_ADDED = `${TOO_MANY_OWNERS} || ${NOW}.exists(o, !${BEFORE}.exists(p, p.uid == o.uid))`;

const isStaying = ({ stays }: Default<KubeObject>): boolean => stays !== undefined;

const isOfWrites = ({ on }: Rule<KubeObject>): boolean => on.some((operation) => operation !== 'delete');

const isOfStatus = (field: string): boolean => parsePath(field)[0] === 'status';
