import type { MetricRow } from '../../controller/runtime/observability/metrics.ts';
import { RELEASE } from '../../schemas/access.ts';
import { kinds } from '../../schemas/kinds.ts';
import type { Policy } from '../../schemas/policy.ts';
import { heldFinalizer, machineClaims, protectedKeys } from '../../webhook/admission/protectedkeys.ts';
import { AUTHORITY_MS, LEAF_MS } from '../../webhook/certificate/authority.ts';
import { policies } from '../../webhook/manifests/policies.ts';
import { metricTables } from '../../webhook/metrics.ts';
import { tables } from '../../webhook/rules/kinds/registry.ts';
import { MOST_BODY_BYTES } from '../../webhook/server/server.ts';
import { LIMITS } from '../../webhook/server/tlslistener.ts';
import { type CrdRule, crdRules } from './crdrules.ts';
import { type Generated, notice } from './generated.ts';
import { markdownTable } from './markdown.ts';

/** webhook/REFERENCE.md: every rule with its layer, the protected keys, what is filled in or put back, and the metrics. */
export const ruleReference = (): Generated[] => [
  {
    path: 'webhook/REFERENCE.md',
    content: `${[introduction, webhookRules(), schemaRules(), privilege(), defaults(), shield(), running(), metrics()].join('\n\n')}\n`,
  },
];

const introduction = `# Rules of admission

<!-- ${notice('the tables in this folder and the schemas')} -->

What is refused when an object is written, by whom, and what is filled in. Each rule lives in the lowest layer that can
state it: the schema of the CRD and its rules in CEL hold even while the webhook is down. A rule of the webhook looks at
labels and annotations, at other objects, or at who asks; or it compares fields far apart, where CEL would refuse an
unrelated change of an object that is older than the rule. Types are in the [API reference](../schemas/README.md).

All findings come in one answer. An update is refused only by rules of which it changes a field. An object that is being
deleted is exempt from all rules but those marked *always*, never from privilege; a write to finalizers or status only always
passes, and so does a deletion, but for that of a protected Cluster ([why](../hack/decisions/0018-judge-clusters-and-labels-that-name-them.md)). What a controller copies from a template
that is stored already is not refused: rules marked *warn if copied* only warn of what the MachineSet or MachineDeployment that made the object has in its own template. What the
CRD says of the spec of a Machine holds below \`spec.template.spec\` of a MachineSet or MachineDeployment as well.

Other objects are seen through watches, so some moments late. A rule that refuses by what it saw lets a later try through;
what it may have missed is a warning, never passed over in silence. A rule marked *retry on missing* looks for what is often made
just before: it refuses only what is still missing half a second later, and only warns of a dry run.

A \`providerSpec\` is checked against the JSON Schema of its driver
([virtual](../schemas/providers/virtual.schema.json)): unknown keys are refused, and fields marked \`x-drover-hot-update\`
may change on a class in use. Credentials and nodeTemplate of such a class are free, and so is its deletion.`;

/** One line of a table of rules; the same rule for several kinds is one line. */
interface Line {
  kinds: string[];
  on: readonly string[];
  fields: string[];
  description: string;
}

interface WebhookLine extends Line {
  id: string;
  reads: readonly string[];
  level: string;
}

function webhookRules(): string {
  const rows = merged(webhookLines(), 'kinds').map(({ id, kinds, on, fields, reads, level, description }) => [
    `\`${id}\``,
    kinds.join(', '),
    on.join(', '),
    codes(fields),
    codes(reads),
    level,
    description,
  ]);
  return `## Rules of the webhook

Each has an id, by which metrics and the API server's audit log (annotation \`validate.drover.dev/refused-by\`) name it.

${markdownTable(['id', 'kinds', 'on', 'field', 'looks at', 'level', 'sentence'], rows)}`;
}

/** Many fields have the same form: those of one sentence are one line. */
function crdRuleTable(layer: CrdRule['layer']): string {
  const lines = crdRules().flatMap(({ kind, field, layer: its, on, message }) =>
    its === layer ? [{ kinds: [kind], on, fields: [field], description: message }] : [],
  );
  const rows = merged(merged(lines, 'kinds'), 'fields').map(({ kinds, on, fields, description }) => [
    kinds.join(', '),
    ...(layer === 'CEL' ? [on.join(', ')] : []),
    codes(fields),
    description,
  ]);
  return markdownTable(['kinds', ...(layer === 'CEL' ? ['on'] : []), 'field', 'sentence'], rows);
}

const schemaRules = (): string => `## Rules of the CRDs in CEL

The API server checks these and the limits of the schema itself. All of them refuse, and hold for controllers as well.

${crdRuleTable('CEL')}

## Limits in the schema of the CRDs

${crdRuleTable('schema')}`;

const webhookLines = (): WebhookLine[] =>
  tables.flatMap(({ kind, rules }) =>
    rules.map(({ id, on, field, reads = [], level = 'deny', warnIfCopied, retryOnMissing, always, message }) => ({
      id,
      kinds: [kind.kind],
      on,
      fields: [field],
      reads,
      level: [
        level,
        ...(warnIfCopied ? ['warn if copied'] : []),
        ...(retryOnMissing ? ['retry on missing'] : []),
        ...(always ? ['always'] : []),
      ].join(', '),
      description: message,
    })),
  );

/** Lines that differ only in their kinds, or only in their fields, become one. */
function merged<T extends Line>(lines: readonly T[], by: 'kinds' | 'fields'): T[] {
  const byMeaning = Map.groupBy(lines, (line) => JSON.stringify({ ...line, [by]: [] }));
  return [...byMeaning.values()].flatMap(([first, ...more]) =>
    first ? [{ ...first, [by]: [first, ...more].flatMap((line) => line[by]) }] : [],
  );
}

const codes = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(', ');

function privilege(): string {
  const claims = machineClaims.map(({ id, field, who, description }) => [
    `\`${id}\``,
    `\`${field}\``,
    `\`${who}\``,
    description,
  ]);
  const rows = protectedKeys.map(({ id, keys, except, only, of, on, who, description }) => [
    `\`${id}\``,
    `${codes(keys)}${except ? `, but not ${codes(except)}` : ''}${only ? ` (${of ? `${only} of a nodeTemplate` : only})` : ''}`,
    on.join(', '),
    `\`${who}\``,
    description,
  ]);
  return `## Protected keys

Labels and annotations, on objects and in templates, which only those may touch whom RBAC allows a verb of our own on
\`machines.machine.sapcloud.io\` in the namespace. A Role for them is made by
\`kubectl create role herd-operator --verb=override --resource=machines.machine.sapcloud.io\`. The answer of RBAC is
believed for 10 seconds; no answer means no.

What the controller notes on a Machine under such keys (its class, its VM, what its Node was given, who paused it) is left out, with a warning, of a Machine that
somebody else makes: \`kubectl get -o yaml\` saves it with all else. Who may override brings it back, as a restore does.

${markdownTable(['id', 'keys', 'guarded', 'verb', 'because it'], rows)}

## Claims

What says which Node and which VM are a Machine's may be set when it is made, as who restores or moves objects does. Later it takes
the same verb, also where there was nothing before: MCM's own account needs it while MCM still looks after machines
([migration](../charts/drover/MIGRATION.md)).

${markdownTable(['id', 'field', 'verb', 'because it'], claims)}

## Finalizers that are held

As long as a Machine carries ${codes(heldFinalizer.annotations)}, the finalizer \`${heldFinalizer.finalizer}\` takes the same verb to be taken off
(\`${heldFinalizer.id}\`): without it nothing would hold the machine, and its VM would be deleted as one without a Machine. Where somebody took it off before,
the policy below asks for the verb to delete the machine. Anybody else's finalizers come off.

## Policies

The API server holds these by itself (ValidatingAdmissionPolicy, Kubernetes 1.30 and later): while no webhook answers, with
\`webhook.failurePolicy: Ignore\`, in namespaces that the webhook does not guard, and on objects that are being deleted
([why](../hack/decisions/0037-let-the-api-server-hold-privilege.md)). They are made of the tables above; of one write that both
refuse, the policy's sentence is read.

${markdownTable(['policy', 'of', 'holds'], policies.map(policyRow))}`;
}

const policyRow = ({ id, asked, why }: Policy): string[] => [
  `\`${RELEASE}-${id}\``,
  codes(asked.flatMap(({ resources }) => resources)),
  why,
];

function metrics(): string {
  const rows = metricTables
    .flatMap(Object.entries<MetricRow>)
    .map(([name, { type, labels, help }]) => [`\`${name}\``, type, labels.join(', '), help]);
  return `## Metrics\n\n${markdownTable(['name', 'type', 'labels', 'meaning'], rows)}`;
}

/** What the webhook changes in objects, for webhook/REFERENCE.md: the same default of several kinds is one line. */
function defaults(): string {
  const rows = tables.flatMap(({ kind, defaults: own }) =>
    own.map(({ id, field, description }) => ({ kind: kind.kind, line: [`\`${id}\``, `\`${field}\``, description] })),
  );
  const lines = [...Map.groupBy(rows, ({ line }) => line.join()).values()].map((same) => {
    const [id = '', ...rest] = same[0]?.line ?? [];
    return [id, same.map(({ kind }) => kind).join(', '), ...rest];
  });
  return `## Defaults

What is filled in when a field is absent, because no schema can state it.

${markdownTable(['id', 'kinds', 'field', 'absent, it'], lines)}`;
}

/** Which fields are put back when a client drops them that does not know them. */
function shield(): string {
  const rows = kinds
    .filter(({ superset }) => superset.length > 0)
    .map(({ kind, superset }) => [kind, superset.map(({ field }) => `\`${field}\``).join(', ')]);
  return `## Compatibility shield

Fields that MCM does not know. A program with MCM's own types drops them when it updates an object or its status as a whole;
they are put back, with a warning that names them. An update that names a field manager, as \`kubectl apply\`, \`patch\` and
\`edit\` do, may remove them ([why](../hack/decisions/0008-keep-what-clients-of-mcm-drop.md)).

${markdownTable(['kind', 'fields'], rows)}`;
}

const days = (ms: number): number => ms / (24 * 3600 * 1000);
const mib = (bytes: number): number => bytes / 1024 ** 2;

/** What whoever runs the webhook should know of its certificates and its limits. */
const running = (): string => `## Running it

Any number of replicas may run; none knows what another must know. A replica is ready (\`/readyz\`) once it serves a
certificate that is valid now and has seen what the rules look at; with tables that contradict themselves it does not start.

Where the certificate comes from is said by \`--tls-mode\`:

- \`self\`: the webhook is its own authority (${days(AUTHORITY_MS)} days) and signs its certificate (${days(LEAF_MS)} days). Both are renewed after two thirds of that by
  the replica that comes first, and shared in a Secret. A new authority signs 5 minutes after API servers were told of it,
  and the old one stays in \`caBundle\` until it expires. Certificates are valid 5 minutes before they are made, for clocks
  that differ.
- \`certManager\`: \`--tls-folder\` names the mounted Secret of a Certificate. The webhook writes its \`ca.crt\` into \`caBundle\`,
  beside what is there; no cainjector is needed ([why](../hack/decisions/0007-publish-cert-managers-authority-ourselves.md)).
- \`provided\`: two files, read anew each minute. Whoever gives them writes \`caBundle\`.

A certificate is exchanged without closing a connection. \`drover_webhook_certificate_expiry_days\` counts down to the end of
each; alert below 7.

A client has 10 seconds for the TLS handshake, and 10 from the first byte of a request to its answer. Bodies have at most
${mib(MOST_BODY_BYTES)} MiB. ${mib(LIMITS.bytes)} MiB of requests may be in work at once, counted as they come, and ${LIMITS.connections} connections be open; no address has more
of either than it leaves free, so half of it while it is alone ([why](../hack/decisions/0036-share-the-open-port.md)). What is beyond is answered
with 429, and the API server tries again each second until its own 5 seconds have passed, and then refuses the write.

With \`--client-ca-file\` reviews are answered only for clients with a certificate of one of its authorities, others with 401;
\`/healthz\`, \`/readyz\` and \`/metrics\` stay open to all. An API server shows a certificate when its
[AdmissionConfiguration](https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#authenticate-apiservers)
names a kubeconfig for the plugins MutatingAdmissionWebhook and ValidatingAdmissionWebhook. Let it do so first: an API server that is not heard
stores nothing of our kinds.

While no replica answers, our kinds can be neither made nor changed; finalizers, status, scaling and deletions go on, but for
the deletion of a protected Cluster. What the policies hold, they hold then as well.`;
