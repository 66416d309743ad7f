import { toJsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import { virtualSpec } from '../../schemas/providers/virtual.ts';
import type { Generated } from './generated.ts';

/** The providerSpec of each driver of ours, by the name of its file in schemas/providers. */
const specs: Readonly<Record<string, GenericSchema>> = { virtual: virtualSpec };

/** schemas/providers/<driver>.schema.json: what each driver of ours publishes as the JSON Schema of its providerSpec. */
export const providers = (): Generated[] =>
  Object.entries(specs).map(([name, spec]) => ({
    path: `schemas/providers/${name}.schema.json`,
    content: `${JSON.stringify(published(name, spec), null, 2)}\n`,
  }));

/** Draft 2020-12 without what says nothing. */
function published(name: string, spec: GenericSchema): unknown {
  const $comment = `Generated from ${name}.ts by \`bun run generate\`; do not edit.`;
  const schema = toJsonSchema(spec, { target: 'draft-2020-12', typeMode: 'input', errorMode: 'throw' });
  return JSON.parse(JSON.stringify({ $comment, ...schema }), (key, value) =>
    saysNothing(key, value) ? undefined : value,
  );
}

const saysNothing = (key: string, value: unknown): boolean =>
  (key === 'required' && Array.isArray(value) && value.length === 0) ||
  (key === 'propertyNames' && Bun.deepEquals(value, { type: 'string' }));
