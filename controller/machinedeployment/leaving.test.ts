import { expect, test } from 'bun:test';
import { resources } from '../../schemas/kinds.ts';
import { machineDeployment, machineSet } from '../../test/fixtures/objects.ts';
import { ApiServer } from '../../test/world/apiserver.ts';
import { WorldClock } from '../../test/world/clock.ts';
import { connectionTo } from '../../test/world/connection.ts';
import { unlessGone } from '../framework/writer.ts';
import { ownedBy } from '../model/ownership.ts';
import { Api } from '../runtime/client/api.ts';
import { seededRandom } from '../runtime/random.ts';
import { Cache } from '../runtime/watch/cache.ts';
import { apply, type MachineDeploymentEffects } from './actions.ts';
import { view } from './flow/view.fixture.ts';

const apiVersion = 'machine.sapcloud.io/v1alpha1';

/** A deployment with a set that its cache does not show; `leave` lets it go, and answers how many sets and which finalizers are left. */
async function leaver(more: readonly string[] = []) {
  const clock = new WorldClock();
  const api = new Api({ connection: connectionTo(new ApiServer({ clock, random: seededRandom(1) })), clock });
  await api.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'herd' } } });
  const { metadata, ...rest } = machineDeployment();
  const finalizers = [...(metadata.finalizers ?? []), ...more];
  const made = { apiVersion, kind: 'MachineDeployment', ...rest, metadata: { ...metadata, finalizers } };
  const deployment = await api.create(resources.machineDeployments, made);
  const owner = { ownerReferences: [ownedBy(deployment, 'MachineDeployment')], finalizers: [], labels: { pool: 'a' } };
  await api.create(resources.machineSets, { apiVersion, kind: 'MachineSet', ...machineSet({ metadata: owner }) });
  const effects = {
    deploymentWrites: { api, resource: resources.machineDeployments, cache: new Cache() },
    setWrites: { api, resource: resources.machineSets, cache: new Cache() },
  } as unknown as MachineDeploymentEffects;
  await api.delete(resources.machineDeployments, deployment.metadata);
  const seen = await api.get(resources.machineDeployments, deployment.metadata);
  return async () => {
    await apply(effects, view(seen, []), { do: 'removeFinalizer' });
    const left = await unlessGone(api.get(resources.machineDeployments, deployment.metadata));
    return [(await api.list(resources.machineSets)).items.length, left?.metadata.finalizers ?? []];
  };
}

test('a deployment does not leave before a set that its cache does not show', async () => {
  const leave = await leaver();
  expect(await leave()).toEqual([0, machineDeployment().metadata.finalizers ?? []]);
  expect(await leave()).toEqual([0, []]);
});

test('one that leaves its sets behind deletes none of them (hack/decisions/0051 L16)', async () => {
  const leave = await leaver(['orphan']);
  expect(await leave()).toEqual([1, ['orphan']]);
});
