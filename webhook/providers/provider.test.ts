import { describe, expect, test } from 'bun:test';
import Ajv2020 from 'ajv/dist/2020';
import { providers as published } from '../../schemas/providers/index.ts';
import { registerProviders } from './provider.ts';

describe.each(published.map((one) => [one.name, one] as const))('what driver %s publishes', (name, one) => {
  const schemas = [one.providerSpec, ...(one.nodeTemplate ? [one.nodeTemplate] : [])];

  test('is JSON Schema, by its own schema', () => {
    const ajv = new Ajv2020({ strict: false, logger: false });
    for (const schema of schemas) {
      expect(ajv.validateSchema(schema)).toBe(true);
    }
  });

  test('can be compiled within the bounds', () => {
    const provider = registerProviders([one]).get(name);
    expect(() => provider?.specFaults({})).not.toThrow();
    expect(() => provider?.nodeTemplateFaults({})).not.toThrow();
  });
});

test('a schema that is no good is told when it is first used', () => {
  const providers = registerProviders([{ name: 'bad', providerSpec: { type: 'thing' } }]);
  expect(() => providers.get('bad')?.specFaults({})).toThrow(
    'the JSON Schema of the providerSpec of driver bad cannot be compiled',
  );
});
