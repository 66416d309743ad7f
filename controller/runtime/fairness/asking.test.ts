import { expect, test } from 'bun:test';
import { Api } from '../client/api.ts';
import { FakeClock } from '../clock.fake.ts';
import { systemClock } from '../clock.ts';
import { namespaces } from '../k8s/core.ts';
import { loopOf } from '../queue/loop.fixture.ts';
import { Queue } from '../queue/queue.ts';
import { askingAs, asProgram, currentAsker } from './asking.ts';
import type { Asker } from './sharing.ts';

const one: Asker = { priority: 98, flow: ['herd'] };
const other: Asker = { priority: -4, flow: ['other'] };

test('on whose behalf something was begun goes along with its promises and timers, and with no others', async () => {
  const seen = await Promise.all(
    [one, other].map((asker) =>
      askingAs(asker, async () => {
        await systemClock.sleep(1);
        await Promise.resolve();
        return currentAsker();
      }),
    ),
  );
  expect(seen).toEqual([one, other]);
  expect(askingAs(one, () => asProgram(currentAsker))).toEqual(currentAsker());
  expect(currentAsker()).toEqual({ priority: 100, flow: [] });
});

test('a pass of a loop asks for its key: its calls wait for the limiter with the key’s priority and flow', async () => {
  const clock = new FakeClock();
  const askers: Asker[] = [];
  const limiter = {
    take: (_: unknown, { priority, flow }: Asker) => {
      askers.push({ priority, flow });
      return Promise.reject(new Error('enough'));
    },
  };
  const connection = { server: 'http://nowhere.test', credentials: { header: () => undefined, refresh: () => {} } };
  const api = new Api({ connection, clock, limiter });
  const queue = new Queue({ clock, flowOf: (key) => [key] });
  const ask = (key: string) =>
    Promise.resolve()
      .then(() => api.get(namespaces, { name: key }))
      .then(
        () => ({}),
        () => ({}),
      );
  const { stop, ended } = loopOf(ask, { clock, queue });
  queue.add('a', { priority: 100 });
  queue.add('b', { priority: -4 });
  await clock.advance(0);
  stop();
  await ended;
  expect(askers).toEqual([
    { priority: 100, flow: ['a'] },
    { priority: -4, flow: ['b'] },
  ]);
});
