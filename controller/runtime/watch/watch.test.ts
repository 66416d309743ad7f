import { describe, expect, test } from 'bun:test';
import type { ConfigMap } from '../k8s/core.ts';
import { seededRandom } from '../random.ts';
import { type Answer, FakeStream, hang, status, turnUntil } from '../server.fake.ts';
import { Cache } from './cache.ts';
import { list, Scene, sheep } from './watch.fixture.ts';
import { runCache, watch } from './watch.ts';

describe('a watch', () => {
  test('lists, then tells every change from the version of the list on', async () => {
    const stream = new FakeStream();
    using scene = new Scene(list(5, sheep('a', 1), sheep('b', 5)), stream.answer);
    await scene.hear(1);
    await stream.event('ADDED', sheep('c', 6));
    await stream.event('MODIFIED', sheep('a', 7));
    await stream.event('DELETED', sheep('b', 8));
    await stream.event('BOOKMARK', { metadata: { resourceVersion: '12' } });
    expect(await scene.hear(5)).toEqual(['reset a b @5', 'put c@6', 'put a@7', 'drop b@8', 'mark @12']);
    expect(scene.from).toEqual(['5']);
  });

  test('asks for bookmarks, and for an end after five to ten minutes', async () => {
    using scene = new Scene(list(5), new FakeStream().answer);
    await scene.ask(2);
    const query = new URL(scene.server.received[1]?.path ?? '', 'http://x').searchParams;
    expect(query.get('allowWatchBookmarks')).toBe('true');
    expect(Number(query.get('timeoutSeconds'))).toBeWithin(300, 600);
  });

  test('goes on at once from the last version when the server lets it run out', async () => {
    const [first, second] = [new FakeStream(), new FakeStream()];
    using scene = new Scene(list(5), first.answer, second.answer);
    for (let minute = 0; minute < 10; minute++) {
      await first.event('BOOKMARK', { metadata: { resourceVersion: '9' } });
      await scene.hear(2 + minute);
      await scene.clock.advance(60_000);
    }
    await first.end();
    await second.event('ADDED', sheep('a', 10));
    expect((await scene.hear(12)).slice(10)).toEqual(['mark @9', 'put a@10']);
    expect(scene.from).toEqual(['5', '9']);
    expect(scene.log.lines).toEqual([]);
  });

  test('waits ever longer for a server that ends it at once', async () => {
    const ended: Answer = () => new Response('');
    using scene = new Scene(...Array.from({ length: 9 }, () => [list(5), ended]).flat());
    const waits: number[] = [];
    for (let tries = 0; tries < 8; tries++) {
      await turnUntil(() => scene.log.lines.length > 0);
      waits.push(Number(scene.log.lines[0]?.fields['waitMs']));
      await scene.pause();
    }
    // hack/decisions/0028 R8: with full jitter, so that many do not come back together.
    const random = seededRandom(1);
    // Each connection says when it wants to end.
    const draws = waits.map(() => [random.next(), random.next()][1] ?? 0);
    const most = [800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000];
    expect(waits).toEqual(draws.map((draw, index) => Math.round(draw * (most[index] ?? 0))));
  });
});

describe('a list that fails', () => {
  test('is tried again until it succeeds, and every failure is logged with its error', async () => {
    using scene = new Scene(status(403, 'Forbidden'), status(500, 'InternalError'), list(5), hang);
    await turnUntil(() => scene.log.lines.length > 0);
    expect(scene.log.lines[0]).toMatchObject({
      level: 'warn',
      message: 'watch interrupted',
      fields: { resource: 'configmaps', error: { status: 403 } },
    });
    await scene.pause();
    await scene.pause();
    expect(await scene.hear(3)).toEqual(['unlisted: Forbidden', 'unlisted: InternalError', 'reset @5']);
  });
});

describe('the signal ends it without an error and leaves no timer', () => {
  test.each([
    ['while it lists', [hang]],
    ['before a watch is answered', [list(5), hang]],
    ['during a watch', [list(5), new FakeStream().answer]],
    ['between two tries', [status(500, 'InternalError')]],
  ])('%s', async (_what, script) => {
    using scene = new Scene(...script);
    await scene.ask(script.length);
    await turnUntil(() => scene.clock.pending > 0);
    await scene.stop();
    expect(scene.clock.pending).toBe(0);
  });
});

test('whoever leaves the loop closes the connection', async () => {
  const stream = new FakeStream();
  using scene = new Scene(hang, list(5), stream.answer);
  await scene.ask(1);
  for await (const event of watch<ConfigMap>({ ...scene.parts, signal: new AbortController().signal })) {
    if (event.type === 'put') break;
    void stream.event('ADDED', sheep('a', 6));
  }
  await stream.left;
});

test('what was listed and watched is counted', async () => {
  const stream = new FakeStream();
  using scene = new Scene(list(5, sheep('a', 1)), stream.answer, hang);
  await stream.event('ADDED', sheep('b', 6));
  await scene.hear(2);
  await stream.end();
  await scene.pause();
  const text = await scene.metrics.text();
  for (const line of [
    'mcm_reflector_lists_total{name="configmaps"} 1',
    'mcm_reflector_items_per_list_sum{name="configmaps"} 1',
    'mcm_reflector_watches_total{name="configmaps"} 1',
    'mcm_reflector_items_per_watch_sum{name="configmaps"} 1',
    'mcm_reflector_last_resource_version{name="configmaps"} 6',
  ]) {
    expect(text).toContain(line);
  }
  expect(text).not.toContain('drover_metrics_errors_total{');
});

test('a cache follows a resource until the signal aborts', async () => {
  const stream = new FakeStream();
  using scene = new Scene(hang, list(5, sheep('a', 1), sheep('b', 2)), stream.answer);
  await scene.ask(1);
  const stop = new AbortController();
  const cache = new Cache<ConfigMap>({ freeze: true });
  const running = runCache<ConfigMap>({ ...scene.parts, cache, signal: stop.signal });
  await cache.whenSynced();
  await stream.event('ADDED', sheep('c', 6));
  await stream.event('DELETED', sheep('a', 7));
  await stream.event('BOOKMARK', { metadata: { resourceVersion: '9' } });
  await cache.whenSeen(sheep('x', 9));
  expect(cache.list().map(({ metadata }) => metadata.name)).toEqual(['b', 'c']);
  stop.abort();
  await running;
});
