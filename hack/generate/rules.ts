import { kindSchema } from '../../schemas/crd.ts';
import type { CelRule } from '../../schemas/field.ts';
import { kinds } from '../../schemas/kinds.ts';
import type { Structural } from '../../schemas/structural.ts';
import { webhookMetrics } from '../../webhook/metrics.ts';
import { protectedKeys } from '../../webhook/privilege.ts';
import { tables } from '../../webhook/tables.ts';
import { placesIn } from './fields.ts';
import { type Generated, notice } from './generated.ts';
import { markdownTable } from './markdown.ts';

/** webhook/README.md: every rule with its layer, the protected keys, the defaults and the metrics. */
export const ruleReference = (): Generated[] => [
  {
    path: 'webhook/README.md',
    content: `${[introduction, rules(), privilege(), defaults(), metrics()].join('\n\n')}\n`,
  },
];

const introduction = `# Rules of admission

<!-- ${notice('the tables in this folder and the schemas')} -->

What is refused when an object is written, by whom, and what is filled in. Each rule lives in the lowest layer that can
state it: a CEL rule of the CRD holds even while the webhook is down; a rule of the webhook knows who asks and can look at
labels and annotations. Types, ranges and patterns of single fields are in the [API reference](../schemas/README.md).

All findings come in one answer. An update is refused only by rules of which it changes a field; an object that is being
deleted, and a write to finalizers or status only, always passes.`;

/** One line of the table of rules; the same rule for several kinds is one line. */
interface Line {
  id: string;
  kinds: string[];
  on: readonly string[];
  field: string;
  reads: readonly string[];
  layer: 'CEL' | 'webhook';
  level: string;
  says: string;
}

function rules(): string {
  const lines = merged([...webhookLines(), ...celLines()]);
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
    rules.map(({ id, on, field, reads = [], level = 'deny', says }) => ({
      id,
      kinds: [kind.kind],
      on,
      field,
      reads,
      layer: 'webhook',
      level,
      says,
    })),
  );

const celLines = (): Line[] =>
  kinds.flatMap((kind) =>
    celRules(kindSchema(kind), '').map(({ at, rule: { rule, message, fieldPath = '' } }) => ({
      id: '',
      kinds: [kind.kind],
      on: rule.includes('oldSelf') ? ['update'] : ['create', 'update'],
      field: `${at}${fieldPath}`.replace(/^\./, ''),
      reads: [],
      layer: 'CEL',
      level: 'deny',
      says: message,
    })),
  );

const celRules = (schema: Structural, at: string): Array<{ at: string; rule: CelRule }> => [
  ...(schema['x-kubernetes-validations'] ?? []).map((rule) => ({ at, rule })),
  ...placesIn(schema, at).flatMap(([place, part]) => celRules(part, place)),
];

/** Lines that differ only in their kinds become one. */
function merged(lines: readonly Line[]): Line[] {
  const byMeaning = Map.groupBy(lines, ({ kinds: _kinds, ...meaning }) => JSON.stringify(meaning));
  return [...byMeaning.values()].flatMap(([first, ...more]) =>
    first ? [{ ...first, kinds: [first, ...more].flatMap(({ kinds: of }) => of) }] : [],
  );
}

function privilege(): string {
  const rows = protectedKeys.map(({ id, keys, on, who, says }) => [
    `\`${id}\``,
    `\`${keys}\``,
    on.join(', '),
    `\`${who}\``,
    says,
  ]);
  return `## Protected keys

Labels and annotations, on objects and in templates, which only those may touch whom RBAC allows a verb on
\`machines.machine.sapcloud.io\` in the namespace. The answer is believed for 10 seconds; no answer means no.

${markdownTable(['id', 'keys', 'guarded', 'verb', 'because it'], rows)}`;
}

function defaults(): string {
  const rows = tables.flatMap(({ kind, defaults }) =>
    defaults.map(({ id, field, says }) => [`\`${id}\``, kind.kind, `\`${field}\``, says]),
  );
  return `## Defaults

What is filled in when a field is absent, because no schema can state it.

${markdownTable(['id', 'kind', 'field', 'absent, it'], rows)}`;
}

function metrics(): string {
  const rows = Object.entries(webhookMetrics).map(([name, { type, labels, help }]) => [
    `\`${name}\``,
    type,
    labels.join(', '),
    help,
  ]);
  return `## Metrics\n\n${markdownTable(['name', 'type', 'labels', 'meaning'], rows)}`;
}
