import type { MetricRow } from '../../controller/runtime/metrics.ts';
import { metricTables } from '../../webhook/metrics.ts';
import { protectedKeys } from '../../webhook/privilege.ts';
import { tables } from '../../webhook/tables.ts';
import { crdRules } from './crdrules.ts';
import { type Generated, notice } from './generated.ts';
import { markdownTable } from './markdown.ts';
import { defaults, shield } from './mutation.ts';
import { running } from './running.ts';

/** webhook/README.md: every rule with its layer, the protected keys, what is filled in or put back, and the metrics. */
export const ruleReference = (): Generated[] => [
  {
    path: 'webhook/README.md',
    content: `${[introduction, rules(), privilege(), defaults(), shield(), running(), metrics()].join('\n\n')}\n`,
  },
];

const introduction = `# Rules of admission

<!-- ${notice('the tables in this folder and the schemas')} -->

What is refused when an object is written, by whom, and what is filled in. Each rule lives in the lowest layer that can
state it: the schema of the CRD and its rules in CEL hold even while the webhook is down. A rule of the webhook looks at
labels and annotations, at other objects, or at who asks; or it compares fields far apart, where CEL would refuse an
unrelated change of an object that is older than the rule. Types are in the [API reference](../schemas/README.md).

All findings come in one answer. An update is refused only by rules of which it changes a field; an object that is being
deleted, and a write to finalizers or status only, always passes. What a controller copies from a template that is stored
already is not refused: rules marked *copied* only warn when the new object is controlled by another. What the CRD says of
the spec of a Machine holds below \`spec.template.spec\` of a MachineSet or MachineDeployment as well.

Other objects are seen through watches, so some moments late. A rule that refuses by what it saw lets a later try through;
what it may have missed is told as a warning, never passed over in silence. A \`providerSpec\` is checked against the JSON
Schema of its driver ([virtual](../schemas/providers/virtual.schema.json)): unknown keys are refused, and fields marked
\`x-drover-hot-update\` may change on a class in use. Credentials and nodeTemplate of such a class are free, and so is its
deletion.`;

/** One line of the table of rules; the same rule for several kinds is one line. */
interface Line {
  id: string;
  kinds: string[];
  on: readonly string[];
  field: string;
  reads: readonly string[];
  layer: 'schema' | 'CEL' | 'webhook';
  level: string;
  says: string;
}

function rules(): string {
  const lines = merged([...webhookLines(), ...crdLines().sort(byLayer)]);
  const rows = lines.map(({ id, kinds: of, on, field, reads, layer, level, says }) => [
    id && `\`${id}\``,
    of.join(', '),
    on.join(', '),
    `\`${field}\``,
    reads.map((read) => `\`${read}\``).join(', '),
    layer,
    level,
    says,
  ]);
  return `## Rules\n\n${markdownTable(['id', 'kinds', 'on', 'field', 'looks at', 'layer', 'level', 'sentence'], rows)}`;
}

const webhookLines = (): Line[] =>
  tables.flatMap(({ kind, rules }) =>
    rules.map(({ id, on, field, reads = [], level = 'deny', copied, says }) => ({
      id,
      kinds: [kind.kind],
      on,
      field,
      reads,
      layer: 'webhook',
      level: copied ? `${level}, copied` : level,
      says,
    })),
  );

/** CEL before the schema. */
const byLayer = (a: Line, b: Line): number => Number(a.layer === 'schema') - Number(b.layer === 'schema');

const crdLines = (): Line[] =>
  crdRules().map(({ kind, ...rule }) => ({ id: '', kinds: [kind], reads: [], level: 'deny', ...rule }));

/** Lines that differ only in their kinds become one. */
function merged(lines: readonly Line[]): Line[] {
  const byMeaning = Map.groupBy(lines, ({ kinds: _kinds, ...meaning }) => JSON.stringify(meaning));
  return [...byMeaning.values()].flatMap(([first, ...more]) =>
    first ? [{ ...first, kinds: [first, ...more].flatMap(({ kinds: of }) => of) }] : [],
  );
}

function privilege(): string {
  const rows = protectedKeys.map(({ id, keys, only, on, who, says }) => [
    `\`${id}\``,
    `${keys
      .split(', ')
      .map((key) => `\`${key}\``)
      .join(', ')}${only ? ` (${only})` : ''}`,
    on.join(', '),
    `\`${who}\``,
    says,
  ]);
  return `## Protected keys

Labels and annotations, on objects and in templates, which only those may touch whom RBAC allows a verb on
\`machines.machine.sapcloud.io\` in the namespace. The answer is believed for 10 seconds; no answer means no.

${markdownTable(['id', 'keys', 'guarded', 'verb', 'because it'], rows)}`;
}

function metrics(): string {
  const rows = metricTables
    .flatMap(Object.entries<MetricRow>)
    .map(([name, { type, labels, help }]) => [`\`${name}\``, type, labels.join(', '), help]);
  return `## Metrics\n\n${markdownTable(['name', 'type', 'labels', 'meaning'], rows)}`;
}
