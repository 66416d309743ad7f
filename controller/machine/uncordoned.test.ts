import { expect, test } from 'bun:test';
import { PRE_TERMINATE_HOOK } from '../../schemas/keys.ts';
import { DriverError } from '../drivers/sdk/errors.ts';
import { Life, VM } from './life.fixture.ts';
import { cloudOf } from './lifecloud.fixture.ts';

const HOOK = `${PRE_TERMINATE_HOOK}/backup`;
const isCordon = (write: string) => write.includes('"unschedulable":true');
const isEviction = (write: string) => write.includes('/eviction') || write.startsWith('DELETE namespaces/herd/pods');

// hack/decisions/0051 L123

/** A machine whose drain has ended, and whose VM is not deleted yet. */
async function drained(life: Life, change: object = {}): Promise<void> {
  await life.pass(5);
  await life.register();
  await life.pass(60);
  await life.bind('before');
  await life.change(change);
  await life.remove();
  await life.pass(60);
  expect(await life.podNames()).toEqual([]);
  expect((await life.machine()).status?.deletion?.drain?.endedAt).toBeDefined();
  life.sent.length = 0;
}

test('a Node that somebody uncordons after its drain, while a hook holds the VM, is drained again before the VM goes', async () => {
  const life = new Life(cloudOf(VM));
  await drained(life, { metadata: { annotations: { [HOOK]: 'x' } } });
  await life.changeNode({ spec: { unschedulable: null } });
  await life.bind('after');
  await life.pass(60);
  await life.change({ metadata: { annotations: { [HOOK]: null } } });
  await life.pass(60);
  expect({
    cordons: life.sent.filter(isCordon).length,
    evictions: life.sent.filter(isEviction).length,
    machine: (await life.left()).machine,
  }).toEqual({ cordons: 1, evictions: 1, machine: false });
});

test('so it is while the driver fails to delete the VM (a permission that somebody has to give), which lives and takes pods meanwhile', async () => {
  let isAllowed = false;
  const cloud = cloudOf(VM);
  const life = new Life({
    ...cloud,
    deleteMachine: async (request) => {
      if (!isAllowed) throw new DriverError('PermissionDenied', 'may not delete');
      return cloud.deleteMachine?.(request) ?? {};
    },
  });
  await drained(life);
  await life.changeNode({ spec: { unschedulable: null } });
  await life.bind('after');
  await life.pass(3_600);
  expect((await life.left()).machine).toBe(true);
  isAllowed = true;
  await life.pass(1_200);
  expect({ evictions: life.sent.filter(isEviction).length, machine: (await life.left()).machine }).toEqual({
    evictions: 1,
    machine: false,
  });
});

test('so it is where another process took over meanwhile', async () => {
  const life = new Life(cloudOf(VM));
  await drained(life, { metadata: { annotations: { [HOOK]: 'x' } } });
  await life.changeNode({ spec: { unschedulable: null } });
  await life.bind('after');
  await life.takeOver();
  await life.pass(60);
  await life.change({ metadata: { annotations: { [HOOK]: null } } });
  await life.pass(60);
  expect({ evictions: life.sent.filter(isEviction).length, machine: (await life.left()).machine }).toEqual({
    evictions: 1,
    machine: false,
  });
});

test('a Node that was lost when its drain ended by force, and came back: what it runs by then is drained', async () => {
  const life = new Life(cloudOf(VM));
  await life.pass(5);
  await life.register();
  await life.pass(60);
  await life.bind('before');
  await life.change({ metadata: { annotations: { [HOOK]: 'x' } } });
  const since = new Date(life.clock.now() - 400_000).toISOString();
  await life.register({ status: { conditions: [{ type: 'Ready', status: 'Unknown', lastTransitionTime: since }] } });
  await life.remove();
  await life.pass(120);
  expect((await life.machine()).status?.deletion?.drain?.endedAt).toBeDefined();
  life.sent.length = 0;
  await life.register();
  await life.changeNode({ spec: { unschedulable: null } });
  await life.bind('after');
  await life.pass(60);
  await life.change({ metadata: { annotations: { [HOOK]: null } } });
  await life.pass(60);
  expect({ evictions: life.sent.filter(isEviction).length, machine: (await life.left()).machine }).toEqual({
    evictions: 1,
    machine: false,
  });
});
