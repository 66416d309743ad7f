import { expect, test } from 'bun:test';
import { resources } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { machineDeployment, machineSet } from '../../test/fixtures/objects.ts';
import { ownedBy } from '../model/ownership.ts';
import { type SetStage, setStage } from './stage.fixture.ts';

/** hack/decisions/0051 S20: a machine may come although the API server says that it is not there. */

const of = {
  ownerReferences: [ownedBy(machineDeployment(), 'MachineDeployment')],
  annotations: { 'deployment.kubernetes.io/max-replicas': '3' },
};
const setOf = (name: string): MachineSet => {
  const { uid: _, ...metadata } = machineSet({ metadata: { name, ...of } }).metadata;
  return { ...machineSet({ spec: { replicas: 3 } }), metadata };
};

/** From now on creations of machines of the set `old` are answered when `admit` is called; `asked` once there is one. */
function slowed(api: SetStage['api']) {
  const [admitted, asked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const create = api.create.bind(api);
  Object.assign(api, {
    create: async (resource: typeof resources.machines, object: Machine) => {
      if (object.metadata.name.startsWith('old')) {
        asked.resolve();
        await admitted.promise;
      }
      return create(resource, object);
    },
  });
  return { admit: admitted.resolve, asked: asked.promise };
}

/** The old set's machines are asked for; then it is to have none, and the next set is there. */
async function inRollout() {
  const stage = await setStage(setOf('old'));
  const { api, caches, controller, catchUp } = stage;
  caches.deployments.put(machineDeployment());
  const slow = slowed(api);
  const pass = controller.reconcile('herd/old').catch(() => {});
  await slow.asked;
  await api.patch(
    resources.machineSets,
    { namespace: 'herd', name: 'old' },
    { type: 'merge', body: { spec: { replicas: 0 } } },
  );
  const kind = { apiVersion: 'machine.sapcloud.io/v1alpha1', kind: 'MachineSet' };
  await api.create(resources.machineSets, { ...kind, ...setOf('young') });
  await catchUp();
  const names = async () =>
    (await api.list(resources.machines)).items.map(({ metadata }) => metadata.name.split('-')[0]);
  return { ...stage, ...slow, pass, names };
}

test('a set leaves to its sibling what that has asked for, until it has come and gone', async () => {
  const { api, caches, controller, catchUp, admit, pass, names } = await inRollout();
  const { after } = await controller.reconcile('herd/young');
  expect([after, await names()]).toEqual([1_000, []]);
  admit();
  await pass;
  const sets = await api.list(resources.machineSets);
  caches.sets.reset(sets.items, sets.resourceVersion);
  await controller.reconcile('herd/young');
  expect(await names()).toEqual(['old', 'old', 'old']);
  for (const { metadata } of (await api.list(resources.machines)).items) {
    await api.patch(resources.machines, metadata, { type: 'merge', body: { metadata: { finalizers: null } } });
    await api.delete(resources.machines, metadata);
  }
  await catchUp();
  await controller.reconcile('herd/young');
  expect(await names()).toEqual(['young', 'young', 'young']);
});
