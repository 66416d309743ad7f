import { describe, expect, test } from 'bun:test';
import type { Driver } from '../drivers/sdk/driver.ts';
import { DriverError } from '../drivers/sdk/errors.ts';
import type { Heard } from '../model/target.ts';
import { Heartbeats } from '../targets/heartbeats.ts';
import { type Beside, Life, VM } from './life.fixture.ts';

// hack/decisions/0051 L65

/** A cloud that can mark VMs, and that denies what lives until a moment: where it is to mark them, or whatever it is asked. */
function forgetful(asks: 'retainMachine' | 'all', beside?: Beside) {
  const cloud = { isMade: false, deniedUntil: 0, isMarked: false };
  const known = () => {
    if (!cloud.isMade || life.clock.now() < cloud.deniedUntil) throw new DriverError('NotFound', 'there is no such VM');
  };
  const methods: Partial<Driver> = {
    createMachine: async () => {
      cloud.isMade = true;
      return VM;
    },
    getMachineStatus: async () => {
      if (asks === 'all' || !cloud.isMade) known();
      return VM;
    },
    deleteMachine: async () => {
      cloud.isMade = false;
      return {};
    },
    retainMachine: async () => {
      known();
      cloud.isMarked = true;
    },
  };
  const renewed = { isSilent: () => false, heard: (): Heard => ({ livedAt: life.clock.now() - 5_000 }) };
  const life: Life = new Life(methods, beside ?? { heartbeats: renewed });
  const begin = async () => {
    await life.pass(30);
    await life.register();
    await life.pass(900);
    await life.change({ spec: { deletionPolicy: 'Retain' } });
  };
  const deny = (seconds: number) => {
    cloud.deniedUntil = life.clock.now() + seconds * 1_000;
  };
  return { cloud, life, begin, deny };
}

describe('a VM that is to stay, lives, and is denied', () => {
  test.each(['retainMachine', 'all'] as const)(
    'for a moment, by %s, keeps its Node and gets its mark',
    async (asks) => {
      const { cloud, life, begin, deny } = forgetful(asks);
      await begin();
      deny(5);
      await life.remove();
      await life.pass(120);
      expect(cloud).toMatchObject({ isMade: true, isMarked: true });
      expect(await life.left()).toEqual({ machine: false, node: true });
    },
  );

  test('is not left without its mark as long as the Lease of its Node is renewed', async () => {
    const { cloud, life, begin, deny } = forgetful('all');
    await begin();
    deny(3_600);
    await life.remove();
    await life.pass(3_500);
    expect(await life.left()).toEqual({ machine: true, node: true });
    expect((await life.machine()).status?.currentStep).toMatchObject({ name: 'VMRetained', reason: 'NotFound' });
    await life.pass(240);
    expect([cloud.isMarked, await life.left()]).toEqual([true, { machine: false, node: true }]);
  });
});

test('a VM that is to stay, and whose Lease can be read no longer, keeps its Node though its kubelet was silent before (hack/decisions/0051 L76)', async () => {
  const heartbeats = new Heartbeats({ limitMs: 60_000, changed: () => {} });
  const lease = { metadata: { name: 'm' }, spec: { renewTime: 'a' } };
  for (let at = 0; at <= 60_000; at += heartbeats.periodMs) heartbeats.saw([lease], at);
  heartbeats.missed();
  const { life, begin, deny } = forgetful('all', { heartbeats });
  await begin();
  deny(20);
  await life.remove();
  await life.pass(19);
  expect(await life.left()).toEqual({ machine: true, node: true });
  await life.pass(120);
  expect(await life.left()).toEqual({ machine: false, node: true });
});

describe('a VM that was to stay, and that others have deleted, keeps its machine no longer', () => {
  test('than a minute where its Node is Ready, which stays', async () => {
    const { cloud, life, begin } = forgetful('all', {});
    await begin();
    cloud.isMade = false;
    await life.remove();
    // hack/decisions/0051 L89
    await life.pass(45);
    expect(await life.left()).toEqual({ machine: true, node: true });
    await life.pass(25);
    expect(await life.left()).toEqual({ machine: false, node: true });
    expect(life.called['deleteMachine']).toBeUndefined();
  });

  test('than some seconds where its Node is not, and goes', async () => {
    const { cloud, life, begin } = forgetful('all', {});
    await begin();
    cloud.isMade = false;
    await life.register({ status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } });
    await life.pass(11);
    await life.remove();
    await life.pass(15);
    expect(await life.left()).toEqual({ machine: false, node: false });
  });
});
