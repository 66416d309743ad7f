import { expect, test } from 'bun:test';
import { resources } from '../../schemas/kinds.ts';
import { machineSet } from '../../test/fixtures/objects.ts';
import { failure, scale, settle, staying } from './settling.fixture.ts';
import { type SetStage, setStage } from './stage.fixture.ts';

// hack/decisions/0051 S47: a deployment scales its sets while they tell how they stand.

const STATUS = 'PATCH /apis/machine.sapcloud.io/v1alpha1/namespaces/herd/machinesets/set/status';
const CONFLICT = { code: 409, reason: 'Conflict' };

/** A machine of the set goes, of which it has yet to tell, and so are others to. */
async function shrink(stage: SetStage, replicas: number): Promise<void> {
  const [name = ''] = await staying(stage);
  const ref = { namespace: 'herd', name };
  await stage.api.patch(resources.machines, ref, { type: 'merge', body: { metadata: { finalizers: null } } });
  await stage.api.delete(resources.machines, ref);
  await scale(stage, replicas);
  await stage.catchUp();
}

/** A set of that many machines, of which two are to go. */
async function shrinking(replicas = 5): Promise<SetStage> {
  const stage = await setStage(machineSet({ spec: { replicas } }));
  await settle(stage);
  await shrink(stage, replicas - 2);
  return stage;
}

/** Passes for so many seconds. */
async function pass(stage: SetStage, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 2) {
    await settle(stage);
    stage.clock.after(2_000, () => {});
    stage.clock.step(stage.clock.now() + 2_000);
  }
}

test('that somebody has just changed the set is no deletion that failed, and told to nobody', async () => {
  const stage = await shrinking();
  stage.refuse((request) => (request === STATUS ? 'the object has been modified' : undefined), CONFLICT);
  expect(await stage.controller.reconcile('herd/set').catch(({ status }) => status)).toBe(409);
  expect(await staying(stage)).toHaveLength(4);
  stage.refuse(() => undefined);
  await settle(stage);
  expect(await staying(stage)).toHaveLength(3);
  expect(stage.told).not.toContain('FailedDelete');
  expect(await failure(stage)).toBeUndefined();
});

test('a status that is never taken in such words is told of', async () => {
  const stage = await shrinking();
  stage.refuse((request) => (request === STATUS ? 'no' : undefined), CONFLICT);
  await pass(stage, 120);
  expect(await staying(stage)).toHaveLength(4);
  expect(stage.told).toContain('FailedDelete');
});

test('conflicts with deletions between them are none of those', async () => {
  const stage = await shrinking(20);
  for (let size = 16; size > 6; size -= 2) {
    stage.refuse((request) => (request === STATUS ? 'the object has been modified' : undefined), CONFLICT);
    await pass(stage, 20);
    stage.refuse(() => undefined);
    await settle(stage);
    expect(await staying(stage)).toHaveLength(size + 2);
    await shrink(stage, size);
  }
  expect(stage.told).not.toContain('FailedDelete');
});
