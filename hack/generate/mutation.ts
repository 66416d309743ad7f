import { kinds } from '../../schemas/kinds.ts';
import { tables } from '../../webhook/rules/kinds/registry.ts';
import { markdownTable } from './markdown.ts';

/** What the webhook changes in objects, for webhook/REFERENCE.md: the same default of several kinds is one line. */
export function defaults(): string {
  const rows = tables.flatMap(({ kind, defaults: own }) =>
    own.map(({ id, field, says }) => ({ kind: kind.kind, line: [`\`${id}\``, `\`${field}\``, says] })),
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
export function shield(): string {
  const rows = kinds
    .filter(({ superset }) => superset.length > 0)
    .map(({ kind, superset }) => [kind, superset.map(({ field }) => `\`${field}\``).join(', ')]);
  return `## Compatibility shield

Fields that MCM does not know. A program with MCM's own types drops them when it updates an object or its status as a whole;
they are put back, with a warning that names them. An update that names a field manager, as \`kubectl apply\`, \`patch\` and
\`edit\` do, may remove them ([why](../hack/decisions/0008-keep-what-clients-of-mcm-drop.md)).

${markdownTable(['kind', 'fields'], rows)}`;
}
