import { describe, expect, test } from 'bun:test';
import { resources } from '../../schemas/kinds.ts';
import { machine, node } from '../../test/fixtures/objects.ts';
import { ApiServer } from '../../test/world/apiserver.ts';
import { WorldClock } from '../../test/world/clock.ts';
import { connectionTo } from '../../test/world/connection.ts';
import { oneTarget } from '../model/target.fixture.ts';
import type { Target } from '../model/target.ts';
import { Api } from '../runtime/client/api.ts';
import { type Node, nodes } from '../runtime/k8s/core.ts';
import { seededRandom } from '../runtime/random.ts';
import { Cache } from '../runtime/watch/cache.ts';
import { apply, type MachineEffects } from './actions.ts';
import { callsFor } from './calls/inflight.fixture.ts';
import { readyNode, recorded, view } from './flow/view.fixture.ts';

/** A server with a Machine that is in no Cluster, and with a Node, if there is one. */
async function world(object: Node | undefined) {
  const clock = new WorldClock();
  const api = new Api({ connection: connectionTo(new ApiServer({ clock, random: seededRandom(1) })), clock });
  await api.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'herd' } } });
  const there = object && (await api.create(nodes, object));
  const kind = { apiVersion: 'machine.sapcloud.io/v1alpha1', kind: 'Machine' };
  const made = await api.create(resources.machines, { ...kind, ...machine(recorded) });
  const machineWrites = {
    api,
    resource: resources.machines,
    cache: new Cache<typeof made>({ indexes: { node: () => [] } }),
  };
  const cache = new Cache<Node>();
  const calls = callsFor({ clock }).calls;
  const effects = {
    machineWrites,
    drivers: new Map(),
    calls,
    targets: oneTarget({ api, nodes: cache } as Target),
  } as unknown as MachineEffects;
  const left = async () => (await api.list(nodes)).items.map(({ metadata }) => metadata.name);
  return { api, made, there, cache, effects, left };
}

test.each([
  ['its own Node, which the cache does not show', node(), [], true],
  ['no Node', undefined, [], false],
  ['the Node of another', node({ spec: { providerID: 'virtual:///other' } }), ['m'], false],
])('a Machine that leaves finds %s', async (_what, object, left, stays) => {
  const { api, made, effects, left: nodesLeft } = await world(object);
  await apply(effects, view({ machine: made }), { do: 'removeFinalizer' });
  expect(await nodesLeft()).toEqual(left);
  const { metadata } = await api.get(resources.machines, made.metadata);
  expect(metadata.finalizers !== undefined).toBe(stays);
});

test('hack/spec/cluster-api.md A1.12 L9: a Machine that leaves takes its own finalizer off, and none of anybody else', async () => {
  const { api, made, effects } = await world(undefined);
  const theirs = await api.patch(resources.machines, made.metadata, {
    type: 'merge',
    body: { metadata: { finalizers: [...(made.metadata.finalizers ?? []), 'foregroundDeletion'] } },
  });
  await apply(effects, view({ machine: theirs }), { do: 'removeFinalizer' });
  expect((await api.get(resources.machines, made.metadata)).metadata.finalizers).toEqual(['foregroundDeletion']);
});

test('a Machine whose Node a policy keeps goes without it (hack/decisions/0028 M13)', async () => {
  const { api, made, effects, left } = await world(node());
  const refused = new Map([['NodeDeleted', { message: 'no', retryAt: Infinity }]]);
  await apply(effects, view({ machine: made, refused }), { do: 'removeFinalizer' });
  expect(await left()).toEqual(['m']);
  expect((await api.get(resources.machines, made.metadata)).metadata.finalizers).toBeUndefined();
});

describe('hack/spec/cluster-api.md A1.12 L5: the Node of a Machine without a cluster label', () => {
  /** Asks for the deletion of a Node that was seen under this uid, or as it is; the cache knows the one that is there. */
  async function afterDeletion(seenUid?: string): Promise<string[]> {
    const { made, there, cache, effects, left } = await world(node());
    if (there) cache.put(there);
    const uid = seenUid ?? there?.metadata.uid ?? '';
    const seen = view({ machine: made, node: { ...readyNode, uid, object: node({ metadata: { uid } }) } });
    await apply(effects, seen, { do: 'deleteNode', name: 'm' }).catch(() => {});
    return left();
  }

  test.each([
    ['is deleted', undefined, []],
    ['is left alone when it is another one than was seen (uid), although the cache knows it', 'old', ['m']],
  ])('%s', async (_what, seenUid, left) => expect(await afterDeletion(seenUid)).toEqual(left));
});
