import { expect, test } from 'bun:test';
import { FINALIZER } from '../../schemas/keys.ts';
import { resources } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';
import { machineSet } from '../../test/fixtures/objects.ts';
import { ApiError } from '../runtime/client/errors.ts';
import { setStage } from './stage.fixture.ts';

/** An admission webhook holds creations up, whose caller gets no answer meanwhile (hack/decisions/0051 S34). */
test('a set that is deleted waits for machines that it asked for and that may still come, and deletes them', async () => {
  const { uid: _, ...metadata } = machineSet({ metadata: { finalizers: [FINALIZER] } }).metadata;
  const stage = await setStage({ ...machineSet({ spec: { replicas: 2 } }), metadata });
  const { api, controller, catchUp } = stage;
  const create = api.create.bind(api);
  const late: Array<() => Promise<unknown>> = [];
  Object.assign(api, {
    create: async (resource: typeof resources.machines, object: Machine) => {
      late.push(() => create(resource, object));
      throw new ApiError('the request timed out', { status: 0, reason: 'DeadlineExceeded', mayHaveActed: true });
    },
  });
  const look = async () => {
    await controller.reconcile(`herd/${metadata.name}`).catch(() => {});
    await catchUp();
  };
  const left = async () => ({
    sets: (await api.list(resources.machineSets)).items.length,
    leaving: (await api.list(resources.machines)).items.map(({ metadata }) => metadata.deletionTimestamp !== undefined),
  });
  await look();
  await api.delete(resources.machineSets, { namespace: 'herd', name: metadata.name });
  await catchUp();
  for (let passes = 0; passes < 4; passes++) await look();
  expect(await left()).toEqual({ sets: 1, leaving: [] });
  for (const land of late) await land();
  await catchUp();
  for (let passes = 0; passes < 4; passes++) await look();
  expect(await left()).toEqual({ sets: 1, leaving: late.map(() => true) });
});

test('and goes without them once they cannot come any more', async () => {
  const { uid: _, ...metadata } = machineSet({ metadata: { finalizers: [FINALIZER] } }).metadata;
  const { api, controller, catchUp, clock } = await setStage({ ...machineSet({ spec: { replicas: 2 } }), metadata });
  const cause = { status: 0, reason: 'DeadlineExceeded', mayHaveActed: true };
  const create = () => Promise.reject(new ApiError('the request timed out', cause));
  Object.assign(api, { create });
  const look = () => controller.reconcile(`herd/${metadata.name}`).catch(() => ({}));
  await look();
  await api.delete(resources.machineSets, { namespace: 'herd', name: metadata.name });
  await catchUp();
  expect(await look()).toMatchObject({ after: 1_000 });
  clock.after(60_000, () => {});
  while (clock.step(Infinity));
  for (let passes = 0; passes < 4; passes++) {
    await look();
    await catchUp();
  }
  expect((await api.list(resources.machineSets)).items).toEqual([]);
});
