import { expect, test } from 'bun:test';
import { type Code, DriverError } from '../drivers/sdk/errors.ts';
import { Life } from './life.fixture.ts';

// hack/decisions/0051 L127: a driver that fails a deletion without an id, of a machine that never had a VM.
test.each<[Code, boolean, Code]>([
  ['InvalidArgument', false, 'InvalidArgument'],
  ['InvalidArgument', true, 'InvalidArgument'],
  ['Internal', false, 'Internal'],
  ['Internal', true, 'Unavailable'],
  ['Internal', true, 'ResourceExhausted'],
])(
  'a machine whose VM could not be made (%p), and of which the driver says again and again that it has none, goes (by force: %p) though its deletion fails (%p)',
  async (create, byForce, code) => {
    const life = new Life(
      {
        createMachine: async () => {
          throw new DriverError(create, 'no such image');
        },
        getMachineStatus: async () => {
          throw new DriverError('NotFound', 'there is no such VM');
        },
        deleteMachine: async ({ machine }) => {
          if (!machine.spec?.providerID) throw new DriverError(code, 'which VM?');
          return {};
        },
      },
      { hasTarget: false },
    );
    await life.pass(30);
    if (byForce) await life.change({ metadata: { labels: { 'force-deletion': 'True' } } });
    await life.remove();
    await life.pass(86_400);
    const left = (await life.left()).machine;
    if (left)
      console.log(
        JSON.stringify((await life.machine()).status?.currentStep),
        life.called['deleteMachine']?.length,
        life.called['getMachineStatus']?.length,
      );
    expect(left).toBe(false);
  },
);

test.each([false, true])(
  'so does one whose VM somebody has deleted in the cloud, where the driver fails to delete what is not there (by force: %p)',
  async (byForce) => {
    let isThere = true;
    const vm = { providerID: 'virtual:///1', nodeName: 'm' };
    const life = new Life(
      {
        createMachine: async () => vm,
        getMachineStatus: async () => {
          if (!isThere) throw new DriverError('NotFound', 'there is no such VM');
          return vm;
        },
        deleteMachine: async () => {
          if (!isThere) throw new DriverError('Internal', 'its disk cannot be detached');
          isThere = false;
          return {};
        },
      },
      { hasTarget: false },
    );
    await life.pass(700);
    isThere = false;
    if (byForce) await life.change({ metadata: { labels: { 'force-deletion': 'True' } } });
    await life.remove();
    await life.pass(86_400);
    const left = (await life.left()).machine;
    if (left)
      console.log(
        JSON.stringify((await life.machine()).status?.currentStep),
        life.called['deleteMachine']?.length,
        life.called['getMachineStatus']?.length,
      );
    expect(left).toBe(false);
  },
);
