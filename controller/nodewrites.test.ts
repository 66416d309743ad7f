import { expect, test } from 'bun:test';
import { node } from '../test/fixtures/objects.ts';
import { ApiServer } from '../test/world/apiserver.ts';
import { WorldClock } from '../test/world/clock.ts';
import { connectionTo } from '../test/world/connection.ts';
import { changeNode, whenCaughtUp } from './nodewrites.ts';
import { Api, isConflict } from './runtime/api.ts';
import { Cache } from './runtime/cache.ts';
import { type Node, nodes } from './runtime/core.ts';
import { errorOf } from './runtime/errors.fake.ts';
import { seededRandom } from './runtime/random.ts';
import type { Target } from './targets.ts';

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
