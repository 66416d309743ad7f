import type { MetricRow } from '../../controller/runtime/observability/metrics.ts';
import { RELEASE } from '../../schemas/access.ts';
import type { Policy } from '../../schemas/policy.ts';
import { machineClaims, protectedKeys } from '../../webhook/admission/protectedkeys.ts';
import { policies } from '../../webhook/manifests/policies.ts';
import { metricTables } from '../../webhook/metrics.ts';
import { tables } from '../../webhook/rules/kinds/registry.ts';
import { type CrdRule, crdRules } from './crdrules.ts';
import { type Generated, notice } from './generated.ts';
import { markdownTable } from './markdown.ts';
import { defaults, shield } from './mutation.ts';
import { running } from './running.ts';

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
that is stored already is not refused: rules marked *copied* only warn of what the MachineSet or MachineDeployment that made the object has in its own template. What the
CRD says of the spec of a Machine holds below \`spec.template.spec\` of a MachineSet or MachineDeployment as well.

Other objects are seen through watches, so some moments late. A rule that refuses by what it saw lets a later try through;
what it may have missed is told as a warning, never passed over in silence. A rule marked *late* looks for what is often made
just before: it refuses only what is still missing half a second later, and only warns of a dry run.

A \`providerSpec\` is checked against the JSON Schema of its driver
([virtual](../schemas/providers/virtual.schema.json)): unknown keys are refused, and fields marked \`x-drover-hot-update\`
may change on a class in use. Credentials and nodeTemplate of such a class are free, and so is its deletion.`;

/** One line of a table of rules; the same rule for several kinds is one line. */
interface Line {
  kinds: string[];
  on: readonly string[];
  fields: string[];
  says: string;
}

interface WebhookLine extends Line {
  id: string;
  reads: readonly string[];
  level: string;
}

function webhookRules(): string {
  const rows = merged(webhookLines(), 'kinds').map(({ id, kinds, on, fields, reads, level, says }) => [
    `\`${id}\``,
    kinds.join(', '),
    on.join(', '),
    codes(fields),
    codes(reads),
    level,
    says,
  ]);
  return `## Rules of the webhook

Each has an id, by which metrics and the API server's audit log (annotation \`validate.drover.dev/refused-by\`) name it.

${markdownTable(['id', 'kinds', 'on', 'field', 'looks at', 'level', 'sentence'], rows)}`;
}

/** Many fields have the same form: those of one sentence are one line. */
function crdRuleTable(layer: CrdRule['layer']): string {
  const lines = crdRules().flatMap(({ kind, field, layer: its, on, says }) =>
    its === layer ? [{ kinds: [kind], on, fields: [field], says }] : [],
  );
  const rows = merged(merged(lines, 'kinds'), 'fields').map(({ kinds, on, fields, says }) => [
    kinds.join(', '),
    ...(layer === 'CEL' ? [on.join(', ')] : []),
    codes(fields),
    says,
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
    rules.map(({ id, on, field, reads = [], level = 'deny', copied, late, always, says }) => ({
      id,
      kinds: [kind.kind],
      on,
      fields: [field],
      reads,
      level: [level, ...(copied ? ['copied'] : []), ...(late ? ['late'] : []), ...(always ? ['always'] : [])].join(
        ', ',
      ),
      says,
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
  const claims = machineClaims.map(({ id, field, who, says }) => [`\`${id}\``, `\`${field}\``, `\`${who}\``, says]);
  const rows = protectedKeys.map(({ id, keys, except, only, of, on, who, says }) => [
    `\`${id}\``,
    `${codes(keys)}${except ? `, but not ${codes(except)}` : ''}${only ? ` (${of ? `${only} of a nodeTemplate` : only})` : ''}`,
    on.join(', '),
    `\`${who}\``,
    says,
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
