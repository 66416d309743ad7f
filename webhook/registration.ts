import type { KubeObject } from '../controller/runtime/object.ts';
import { NAMESPACE } from '../schemas/access.ts';
import { group, version } from '../schemas/kinds.ts';
import { parsePath } from './path.ts';
import { type Operation, readsOf } from './rules.ts';
import type { Table } from './table.ts';

/** Name of both webhook configurations. */
export const CONFIGURATION = 'drover';

/** Name of the Service through which the API server calls the webhook. */
export const SERVICE = 'drover-webhook';

const API_VERSION = 'admissionregistration.k8s.io/v1';

/** How the API server is told to ask before it stores an object; without a caBundle, which the webhook fills in itself. */
export const validatingConfiguration = (tables: readonly Table<KubeObject>[]) => ({
  apiVersion: API_VERSION,
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: CONFIGURATION },
  webhooks: [webhook('validate', tables)],
});

/** How the API server is told to have defaults filled in: of kinds that have some. */
export const mutatingConfiguration = (tables: readonly Table<KubeObject>[]) => ({
  apiVersion: API_VERSION,
  kind: 'MutatingWebhookConfiguration',
  metadata: { name: CONFIGURATION },
  webhooks: [
    {
      ...webhook(
        'mutate',
        tables.filter(({ defaults }) => defaults.length > 0),
      ),
      reinvocationPolicy: 'IfNeeded',
    },
  ],
});

/** Only our own group is asked about, so that a webhook which is down can hurt nobody else. */
const webhook = (path: string, tables: readonly Table<KubeObject>[]) => ({
  name: `${path}.drover.dev`,
  admissionReviewVersions: ['v1'],
  clientConfig: { service: { name: SERVICE, namespace: NAMESPACE, path: `/${path}`, port: 443 } },
  rules: [
    {
      apiGroups: [group],
      apiVersions: [version],
      resources: tables.map(({ kind }) => kind.plural),
      operations: operationsOf(tables),
      scope: 'Namespaced',
    },
  ],
  matchConditions: matchConditions(tables),
  failurePolicy: 'Fail',
  matchPolicy: 'Equivalent',
  sideEffects: 'None',
  timeoutSeconds: 5,
});

/** Protected keys are guarded whenever an object is written, whatever the rules need. */
function operationsOf(tables: readonly Table<KubeObject>[]): string[] {
  const needed = tables.flatMap(({ rules }) => rules.flatMap(({ on }) => on));
  return [...new Set<Operation>(['create', 'update', ...needed])].map((operation) => operation.toUpperCase());
}

/** Keeps out of the way of deletions and of writes to finalizers, so that these go on while the webhook is down. */
function matchConditions(tables: readonly Table<KubeObject>[]) {
  const changed = partsOf(tables).map((part) => `object.${part} != oldObject.${part}`);
  return [
    {
      name: 'not-being-deleted',
      expression: "request.operation != 'UPDATE' || !has(oldObject.metadata.deletionTimestamp)",
    },
    {
      name: 'something-to-judge-changed',
      expression: ["request.operation != 'UPDATE'", ...changed].join(' || '),
    },
  ];
}

/** The parts of objects that the tables look at, as optional selections in CEL: `metadata.?labels`, `?spec`. */
function partsOf(tables: readonly Table<KubeObject>[]): string[] {
  const fields = tables.flatMap(({ rules, defaults, guarded }) => [
    ...rules.flatMap((rule) => readsOf(rule)),
    ...defaults.map(({ field }) => field),
    ...guarded.flatMap((metadata) => [`${metadata}.annotations`, `${metadata}.labels`]),
  ]);
  const parts = fields
    .map(parsePath)
    .map(([first, second]) => (first === 'metadata' ? `metadata.?${second}` : `?${first}`));
  return [...new Set(parts)].sort();
}
