import { describe, expect, test } from 'bun:test';
import { machine, node } from '../../test/fixtures/objects.ts';
import { ApiServer } from '../../test/world/apiserver.ts';
import { WorldClock } from '../../test/world/clock.ts';
import { connectionTo } from '../../test/world/connection.ts';
import type { Target } from '../model/target.ts';
import { Api, isConflict } from '../runtime/client/api.ts';
import { errorOf } from '../runtime/client/errors.fixture.ts';
import { type Node, nodes } from '../runtime/k8s/core.ts';
import { seededRandom } from '../runtime/random.ts';
import { Cache } from '../runtime/watch/cache.ts';
import { recordingOwner } from './owner.ts';
import { changeNode, removeNode, whenCaughtUp } from './write.ts';

test('taints of a Node that changed meanwhile are refused, and not tried again before the cache has caught up', async () => {
  const clock = new WorldClock();
  const api = new Api({ connection: connectionTo(new ApiServer({ clock, random: seededRandom(1) })), clock });
  const cache = new Cache<Node>();
  const target = { api, nodes: cache } as Target;
  const old = await api.create(nodes, node());
  cache.reset([old], old.metadata.resourceVersion ?? '');
  const now = await api.patch(nodes, old.metadata, { type: 'merge', body: { spec: { unschedulable: true } } });

  const taints = { add: [{ key: 'rolling', effect: 'PreferNoSchedule' }] };
  expect(isConflict(await errorOf(changeNode(target, old, { taints })))).toBe(true);
  const [caughtUp] = await whenCaughtUp(target, old);
  let done = false;
  void caughtUp?.then(() => {
    done = true;
  });
  await Promise.resolve();
  expect(done).toBe(false);
  cache.put(now);
  await caughtUp;
  await changeNode(target, now, { taints });
});

describe('a Node that does not say whose it is (hack/decisions/0038)', () => {
  const owner = machine({ metadata: { name: 'm', namespace: 'herd' } });
  const ours = { 'machine.sapcloud.io/machine': 'm', 'machine.sapcloud.io/cluster-namespace': 'herd' };

  async function unrecorded() {
    const clock = new WorldClock();
    const api = new Api({ connection: connectionTo(new ApiServer({ clock, random: seededRandom(1) })), clock });
    const cache = new Cache<Node>();
    const made = await api.create(nodes, node({ metadata: { annotations: undefined } }));
    cache.reset([made], made.metadata.resourceVersion ?? '');
    const [writes, patch] = [[] as string[], api.patch.bind(api)];
    const told = Object.assign(api, {
      patch: (...args: Parameters<Api['patch']>) => {
        writes.push(`${args[3]?.subresource ?? 'object'} ${JSON.stringify(args[2].body)}`);
        return patch(...args);
      },
    });
    return { api: told as Api, cache, made, writes };
  }

  test('is claimed with the first write, and before its status', async () => {
    const { api, cache, made, writes } = await unrecorded();
    const target = { api, nodes: cache } as Target;
    await changeNode(target, made, recordingOwner(owner, made, { capacity: { 'example.io/gpu': '1' } }));
    expect((await api.get(nodes, made.metadata)).metadata.annotations).toMatchObject(ours);
    expect(writes.map((write) => write.split(' ')[0])).toEqual(['object', 'status']);
  });

  test('is claimed before it is deleted', async () => {
    const { api, cache, made, writes } = await unrecorded();
    await removeNode({ api, nodes: cache } as Target, made, owner);
    expect(writes).toEqual([expect.stringContaining(JSON.stringify(ours))]);
    expect(await errorOf(api.get(nodes, made.metadata))).toMatchObject({ status: 404 });
  });

  test('is not claimed anew once it says so', () => {
    expect(recordingOwner(owner, node({ metadata: { annotations: ours } }), { unschedulable: true })).toEqual({
      unschedulable: true,
    });
  });
});
