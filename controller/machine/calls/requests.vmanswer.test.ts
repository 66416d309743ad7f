import { describe, expect, test } from 'bun:test';
import { machine } from '../../../test/fixtures/objects.ts';
import type { VmAnswer } from '../../drivers/sdk/driver.ts';
import { DriverError } from '../../drivers/sdk/errors.ts';
import { Life, VM } from '../life.fixture.ts';

// hack/decisions/0051 L22

const nameless: Array<[string, VmAnswer]> = [
  ['an empty providerID', { ...VM, providerID: '' }],
  ['a providerID of spaces', { ...VM, providerID: ' ' }],
  ['a providerID that is no text', { ...VM, providerID: 7 as never }],
  ['an empty nodeName', { ...VM, nodeName: '' }],
  ['a nodeName that is no text', { ...VM, nodeName: null as never }],
];

describe.each(nameless)('a driver that answers with %s', (_what, answer) => {
  const field = answer.providerID === VM.providerID ? 'nodeName' : 'providerID';

  test.each(['createMachine', 'getMachineStatus', 'initializeMachine'] as const)(
    'to %s has failed, and is not asked again at once',
    async (method) => {
      const life = new Life({ initializeMachine: async () => VM, [method]: async () => answer });
      await life.pass(60);
      const { spec, status } = await life.machine();
      expect(status?.lastOperation).toMatchObject({ state: 'Failed', errorCode: 'Internal' });
      expect(status?.lastOperation?.description).toContain(
        `${method} of the driver virtual answers with a VM that has no ${field}`,
      );
      expect(life.called[method]?.length).toBeWithin(1, 5);
      expect(spec?.providerID).toBe(method === 'initializeMachine' ? VM.providerID : undefined);
      expect(life.passes).toBeLessThan(30);
    },
  );
});

test('an error that tells of a VM without an id has told nothing', async () => {
  const known = { providerID: '' };
  const life = new Life({ getMachineStatus: () => Promise.reject(new DriverError('Uninitialized', 'x', { known })) });
  await life.pass(60);
  expect((await life.machine()).status?.lastOperation).toMatchObject({ errorCode: 'Internal' });
});

test('without a target cluster a VM needs no name of a Node', async () => {
  const answer = async () => ({ ...VM, nodeName: '' });
  const life = new Life({ createMachine: answer, getMachineStatus: answer }, { hasTarget: false });
  await life.pass(60);
  expect(life.phases).toEqual(['Available 0']);
  expect((await life.machine()).status?.addresses).toEqual([{ type: 'Hostname', address: machine().metadata.name }]);
});
