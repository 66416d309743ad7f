import { expect, test } from 'bun:test';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineSpec } from '../../schemas/machinespec.ts';
import { factsOf } from '../../test/admission/facts.ts';
import { inlineInUse } from './immutability.ts';

const made = (providerSpec: MachineSpec['providerSpec']): Machine => ({
  metadata: { name: 'one' },
  spec: { provider: 'virtual', providerID: 'virtual:///1', providerSpec },
});

test.each([
  ['another value', { initialize: false }, ['.initialize']],
  ['a providerSpec that is taken away', undefined, ['']],
  ['a slip of the pen, which the schema refuses', { initialize: true, hartbeat: '5s' }, []],
  ['a slip of the pen beside another value', { initialize: false, hartbeat: '5s' }, ['.initialize']],
])('what a VM is made from does not become %s', (_what, providerSpec, refused) => {
  const found = inlineInUse.validate(made(providerSpec), made({ initialize: true }), factsOf());
  expect(found.map(({ at }) => at)).toEqual(refused);
});
