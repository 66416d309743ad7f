import { expect, test } from 'bun:test';
import { resources } from '../../schemas/kinds.ts';
import { machine, node } from '../../test/fixtures/objects.ts';
import { ApiServer } from '../../test/world/apiserver.ts';
import { WorldClock } from '../../test/world/clock.ts';
import { connectionTo } from '../../test/world/connection.ts';
import { Api } from '../runtime/api.ts';
import { Cache } from '../runtime/cache.ts';
import { type Node, nodes } from '../runtime/core.ts';
import { seededRandom } from '../runtime/random.ts';
import { oneTarget, type Target } from '../targets.ts';
import { apply, type MachineEffects } from './apply.ts';
import { recorded, view } from './view.fixture.ts';

test.each([
  ['its own Node, which the cache does not show', node(), [], true],
  ['no Node', undefined, [], false],
  ['the Node of another', node({ spec: { providerID: 'virtual:///other' } }), ['m'], false],
])('a Machine that leaves finds %s', async (_what, object, left, stays) => {
  const clock = new WorldClock();
  const api = new Api({ connection: connectionTo(new ApiServer({ clock, random: seededRandom(1) })), clock });
  await api.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'herd' } } });
  if (object) await api.create(nodes, object);
  const kind = { apiVersion: 'machine.sapcloud.io/v1alpha1', kind: 'Machine' };
  const made = await api.create(resources.machines, { ...kind, ...machine(recorded) });
  const machineWrites = {
    api,
    resource: resources.machines,
    cache: new Cache<typeof made>({ indexes: { node: () => [] } }),
  };
  const targets = oneTarget({ api, nodes: new Cache<Node>() } as Target);
  const effects = { machineWrites, targets } as unknown as MachineEffects;
  await apply(effects, view({ machine: made }), { do: 'removeFinalizer' });
  expect((await api.list(nodes)).items.map(({ metadata }) => metadata.name)).toEqual(left);
  const { metadata } = await api.get(resources.machines, made.metadata);
  expect(metadata.finalizers !== undefined).toBe(stays);
});
