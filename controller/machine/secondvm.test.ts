import { expect, test } from 'bun:test';
import type { Driver } from '../drivers/sdk/driver.ts';
import { DriverError } from '../drivers/sdk/errors.ts';
import { Life, VM } from './life.fixture.ts';

const none = () => new DriverError('NotFound', 'there is no such VM');

// hack/decisions/0051 L126

/** A cloud whose second VM is told of late. */
function cloud(lateS: number) {
  const it = { made: 0, vm: undefined as { providerID: string; nodeName: string } | undefined, visibleAt: 0 };
  const methods: Partial<Driver> = {
    listMachines: async () => [],
    createMachine: async () => {
      it.made += 1;
      it.vm = { ...VM, providerID: `virtual:///${it.made}` };
      it.visibleAt = it.made === 1 ? 0 : life.clock.now() + lateS * 1_000;
      return it.vm;
    },
    getMachineStatus: async () => {
      if (!it.vm || life.clock.now() < it.visibleAt) throw none();
      return it.vm;
    },
    deleteMachine: async () => {
      if (!it.vm || life.clock.now() < it.visibleAt) return {};
      it.vm = undefined;
      return {};
    },
  };
  const life: Life = new Life(methods);
  return { it, life };
}

async function again(lateS: number, joins = true) {
  const { it, life } = cloud(lateS);
  await life.class();
  const restore = await life.backup();
  await life.pass(5);
  if (joins) {
    await life.register({ spec: { providerID: 'virtual:///1' } });
    await life.pass(60);
    expect((await life.machine()).status?.currentStatus?.phase).toBe('Running');
  } else await life.pass(700);
  it.vm = undefined;
  if (joins) await life.removeNode();
  await life.pass(120);
  expect((await life.machine()).status?.currentStatus?.phase).toBe('Failed');
  await restore();
  await life.pass(30);
  expect(it.made).toBe(2);
  return { it, life };
}

test('a VM that is made anew after a backup is a young one, though the Node of the one before was seen', async () => {
  const { life } = await again(120);
  await life.pass(100);
  expect((await life.machine()).status?.currentStatus?.phase).toBe('Pending');
});

test.each([true, false])(
  'of such a VM its class remembers that it may come (its Node had been seen, or the driver had shown it: %p)',
  async (joins) => {
    const { life, it } = await again(300, joins);
    await life.remove();
    for (let s = 0; s < 900 && (await life.left()).machine; s++) await life.pass(1);
    expect([(await life.left()).machine, it.vm !== undefined]).toEqual([false, true]);
    expect((await life.class())?.status?.vmExpectedUntil).toBeDefined();
  },
);
