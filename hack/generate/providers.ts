import { toJsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import { virtualNodeTemplate, virtualSpec } from '../../schemas/providers/virtual.ts';
import type { Generated } from './generated.ts';

/** What each driver of ours takes, by the name of the file in schemas/providers. */
const specs: Readonly<Record<string, GenericSchema>> = {
  virtual: virtualSpec,
  'virtual.nodetemplate': virtualNodeTemplate,
};

/** schemas/providers/<driver>.schema.json: what each driver of ours publishes as JSON Schemas of its providerSpec and nodeTemplate. */
export const providers = (): Generated[] =>
  Object.entries(specs).map(([name, spec]) => ({
    path: `schemas/providers/${name}.schema.json`,
    content: `${JSON.stringify(published(name, spec), null, 2)}\n`,
  }));

/** Draft 2020-12 without what says nothing. */
function published(name: string, spec: GenericSchema): unknown {
  const $comment = `Generated from ${name.split('.', 1)}.ts by \`bun run generate\`; do not edit.`;
  const schema = toJsonSchema(spec, { target: 'draft-2020-12', typeMode: 'input', errorMode: 'throw' });
  return JSON.parse(JSON.stringify({ $comment, ...schema }), (key, value) =>
    saysNothing(key, value) ? undefined : value,
  );
}

const saysNothing = (key: string, value: unknown): boolean =>
  (key === 'required' && Array.isArray(value) && value.length === 0) ||
  (key === 'propertyNames' && Bun.deepEquals(value, { type: 'string' }));
