import { expect, test } from 'bun:test';
import { resources } from '../../schemas/kinds.ts';
import { machineDeployment, machineSet } from '../../test/fixtures/objects.ts';
import { ApiServer } from '../../test/world/apiserver.ts';
import { WorldClock } from '../../test/world/clock.ts';
import { connectionTo } from '../../test/world/connection.ts';
import { ownedBy } from '../ownership.ts';
import { Api } from '../runtime/api.ts';
import { Cache } from '../runtime/cache.ts';
import { seededRandom } from '../runtime/random.ts';
import { apply, type MachineDeploymentEffects } from './apply.ts';
import { view } from './view.fixture.ts';

const apiVersion = 'machine.sapcloud.io/v1alpha1';

test('a deployment does not leave before a set that its cache does not show', async () => {
  const clock = new WorldClock();
  const api = new Api({ connection: connectionTo(new ApiServer({ clock, random: seededRandom(1) })), clock });
  await api.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'herd' } } });
  const place = { apiVersion, kind: 'MachineDeployment' };
  const deployment = await api.create(resources.machineDeployments, { ...place, ...machineDeployment() });
  const owner = { ownerReferences: [ownedBy(deployment, 'MachineDeployment')], finalizers: [], labels: { pool: 'a' } };
  await api.create(resources.machineSets, { apiVersion, kind: 'MachineSet', ...machineSet({ metadata: owner }) });
  const effects = {
    deploymentWrites: { api, resource: resources.machineDeployments, cache: new Cache() },
    setWrites: { api, resource: resources.machineSets, cache: new Cache() },
  } as unknown as MachineDeploymentEffects;
  const leave = () => apply(effects, view(deployment, []), { do: 'removeFinalizer' });
  const finalizers = async () =>
    (await api.get(resources.machineDeployments, deployment.metadata)).metadata.finalizers?.length ?? 0;

  await leave();
  expect([(await api.list(resources.machineSets)).items.length, await finalizers()]).toEqual([0, 1]);
  await leave();
  expect(await finalizers()).toBe(0);
});
