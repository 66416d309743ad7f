import { describe, expect, test } from 'bun:test';
import { at } from '../../../test/fixtures/objects.ts';
import { DriverError } from '../../drivers/sdk/errors.ts';
import { decide, reasonOf } from '../../flow/flow.ts';
import { classFlow } from '../../machineclass/flow.ts';
import { vmExpectedUntil } from '../../model/expectedvm.ts';
import { type Beside, Life, VM } from '../life.fixture.ts';

// hack/decisions/0051 L81

/** A cloud that tells of its VM so many seconds after it made it, by statuses, lists and deletions. */
function late(seconds: number, more: object = {}, beside: Beside = {}) {
  const cloud = { visibleAt: Infinity, isGone: false };
  const known = () => {
    if (cloud.isGone || life.clock.now() < cloud.visibleAt) throw new DriverError('NotFound', 'there is no such VM');
  };
  const methods = {
    listMachines: async () => [],
    createMachine: async () => {
      cloud.visibleAt = life.clock.now() + seconds * 1_000;
      return VM;
    },
    getMachineStatus: async () => {
      known();
      return VM;
    },
    deleteMachine: async () => {
      known();
      cloud.isGone = true;
      return {};
    },
    ...more,
  };
  const life: Life = new Life(methods, beside);
  return { life, cloud };
}

/** Lets the machine go, and answers until when its class says that a VM may come: seconds since the machine was made. */
async function gone(life: Life): Promise<number | undefined> {
  await life.remove();
  for (let passed = 0; (await life.left()).machine && passed < 900; passed++) await life.pass(1);
  expect((await life.left()).machine).toBe(false);
  const object = await life.class();
  const until = object && vmExpectedUntil(object);
  if (!object || until === undefined) return undefined;
  const leaving = { ...object, metadata: { ...object.metadata, deletionTimestamp: at(20) } };
  expect(reasonOf(decide(classFlow, { object: leaving, users: [], served: true, vmUntil: until }))).toBe('VMExpected');
  return (until - Date.parse(at(0))) / 1_000;
}

describe('of a machine that goes', () => {
  test.each([45, 120, 300])(
    'while the cloud does not show its VM (it does after %p s), its class remembers',
    async (seconds) => {
      const { life, cloud } = late(seconds);
      await life.pass(20);
      expect(await gone(life)).toBeWithin(600, 661);
      expect(cloud.isGone).toBe(false);
    },
  );

  // hack/decisions/0051 L104
  describe('that another process asked a VM for, and was ended meanwhile', () => {
    const killed = async (createMachine: () => Promise<typeof VM>) => {
      const { life } = late(300, { createMachine });
      await life.pass(20);
      await life.takeOver();
      return life;
    };

    test('and that goes at once', async () => {
      const life = await killed(() => new Promise(() => {}));
      expect(await gone(life)).toBeWithin(620, 681);
    });

    test('and whose VM is made a second time', async () => {
      let asked = 0;
      const life = await killed(() => (++asked === 1 ? new Promise(() => {}) : Promise.resolve(VM)));
      await life.pass(60);
      expect(await gone(life)).toBeWithin(620, 681);
      expect(asked).toBe(2);
    });

    test('after ten minutes no such VM is to come', async () => {
      const life = await killed(() => new Promise(() => {}));
      await life.pass(610);
      expect(await gone(life)).toBeUndefined();
    });
  });

  // hack/decisions/0051 L101: a deletion is answered in the same words whether it found the VM or not.
  describe.each([true, false])('whose driver deletes what it does not find, with a target cluster: %p', (hasTarget) => {
    const deaf = (more: object = {}) => late(300, { deleteMachine: async () => ({}), ...more }, { hasTarget });

    test.each([0, 1, 3, 9, 15])('that is %p s old', async (seconds) => {
      const { life } = deaf();
      await life.pass(seconds + 0.5);
      expect(await gone(life)).toBeWithin(600, 661);
    });

    test('where the question before its deletion failed', async () => {
      let asked = 0;
      const getMachineStatus = () =>
        Promise.reject(new DriverError(++asked === 2 ? 'Unavailable' : 'NotFound', 'no answer, or no VM'));
      const { life } = deaf({ getMachineStatus });
      await life.pass(40);
      expect(await gone(life)).toBeWithin(600, 661);
    });

    test('by a process that has just taken over', async () => {
      const { life } = deaf();
      await life.pass(5);
      await life.takeOver();
      expect(await gone(life)).toBeWithin(600, 661);
    });
  });

  test.each([1, 3, 9])('no class remembers a VM that the cloud tells of at once (age %p s)', async (seconds) => {
    const { life, cloud } = late(0);
    await life.pass(seconds);
    expect([await gone(life), cloud.isGone]).toEqual([undefined, true]);
  });

  test('no class remembers a VM that the cloud has told of', async () => {
    const { life, cloud } = late(0);
    await life.pass(20);
    expect([await gone(life), cloud.isGone]).toEqual([undefined, true]);
  });

  test('nor one whose Node was seen', async () => {
    const { life } = late(45);
    await life.pass(50);
    await life.register();
    await life.pass(20);
    expect(await gone(life)).toBeUndefined();
  });

  test('nor one that is as old as an orphan must be', async () => {
    const { life } = late(5_000);
    await life.pass(700);
    expect(await gone(life)).toBeUndefined();
  });

  test('nor one whose driver lists no VMs, so that nobody would find it', async () => {
    const { life } = late(300, { listMachines: undefined });
    await life.pass(20);
    expect(await gone(life)).toBeUndefined();
  });

  test('a creation that ended without an answer is remembered, if it goes by force', async () => {
    const createMachine = () => Promise.reject(new DriverError('Unavailable', 'no answer'));
    const { life } = late(300, { createMachine });
    await life.pass(20);
    await life.change({ metadata: { labels: { 'force-deletion': 'True' } } });
    expect(await gone(life)).toBeWithin(600, 681);
  });
});
