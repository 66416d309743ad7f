import { kindSchema } from '../../schemas/crd.ts';
import { apiVersionOf, type Kind } from '../../schemas/kind.ts';
import { apiVersion, kinds } from '../../schemas/kinds.ts';
import { type Capability, capabilityRows } from '../../schemas/providers/capabilities.ts';
import { providers } from '../../schemas/providers/index.ts';
import { drivenFields } from '../../schemas/rules/drivenfields.ts';
import { type Field, fieldsOf } from './fields.ts';
import { type Generated, notice } from './generated.ts';
import { markdownTable } from './markdown.ts';

/** schemas/README.md: every field of every kind. */
export const reference = (): Generated[] => [
  { path: 'schemas/README.md', content: `${[introduction, ...kinds.map(chapter), abilities()].join('\n\n')}\n` },
];

const introduction = `# API reference

<!-- ${notice('the schemas in this folder')} -->

Kinds of \`${apiVersion}\` are wire-compatible with Gardener's machine-controller-manager. The same sentences are
shown by \`kubectl explain\`. A field may be left out unless it is required. Examples: [examples/](examples/).

How values are written:

- **duration**: as Go writes it, for example \`90s\`, \`1h30m\`, \`2h0m0s\`
- **time**: RFC 3339, for example \`2026-01-31T08:00:00Z\`
- **quantity**: as everywhere in Kubernetes, for example \`2\`, \`500m\`, \`4Gi\`
- **count or percent**: a number of machines such as \`1\`, or a share of the replicas such as \`25%\`

Rules in *italics* compare fields or the old object with the new one; the API server checks all rules of this page
itself. What needs to know more than one object is checked by the webhook: see [its rules](../webhook/REFERENCE.md).

Some fields *need a driver with* a capability: where the driver lacks it the webhook refuses them, and a Machine
that has one all the same says so in its condition \`FieldsSupported\`. [Which driver has which](#capabilities-of-drivers).`;

/** What fields of a Machine need of its driver, and which drivers have it. */
function abilities(): string {
  const rows = capabilityRows.map(([word, { description }]) => [
    `\`${word}\``,
    `The driver ${description}.`,
    [...new Set(drivenFields.filter(({ needs }) => needs === word).map(({ field }) => `\`spec.${field}\``))].join(', '),
    driversWith(word).join(', ') || 'none yet',
  ]);
  return `## Capabilities of drivers\n\n${markdownTable(['capability', 'meaning', 'fields', 'drivers'], rows)}`;
}

const driversWith = (word: Capability): string[] =>
  providers.filter(({ capabilities = [] }) => capabilities.includes(word)).map(({ name }) => name);

/** The spec of a machine is described once, with the Machine. */
const MACHINE_SPEC = 'spec.template.spec';

function chapter(kind: Kind): string {
  const fields = fieldsOf(kindSchema(kind)).filter(({ path }) => !path.startsWith(`${MACHINE_SPEC}.`));
  return `## ${kind.kind}\n\n${kind.sentence}\n\n${served(kind)}\n\n${markdownTable(
    ['field', 'type', 'default', 'rules', 'meaning'],
    fields.map(row),
  )}`;
}

function served({ group, plural, shortName, status, scale, columns }: Kind): string {
  const subresources = [...(status ? ['`status`'] : []), ...(scale ? ['`scale`'] : [])].join(' and ') || 'none';
  const shown = columns.map(({ name, wide }) => (wide ? `${name} (\`-o wide\`)` : name)).join(', ');
  const api = apiVersionOf({ group });
  return `Served as \`${api}\`; plural \`${plural}\`, short name \`${shortName}\`; subresources: ${subresources}; columns: ${shown}.`;
}

function row({ path, type, fallback, rules, sentence }: Field): string[] {
  const elsewhere = path === MACHINE_SPEC ? ' The fields are those of [a Machine](#machine) under `spec`.' : '';
  return [
    `\`${path}\``,
    type,
    fallback === undefined ? '' : `\`${JSON.stringify(fallback)}\``,
    rules.join('; '),
    `${sentence}${elsewhere}`,
  ];
}
