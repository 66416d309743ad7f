import { describe, expect, test } from 'bun:test';
import type { Api } from '../client/api.ts';
import { ApiError } from '../client/errors.ts';
import { FakeClock } from '../clock.fake.ts';
import type { Event } from '../k8s/core.ts';
import type { KubeObject } from '../k8s/object.ts';
import { FakeLog } from '../observability/log.fake.ts';
import { createMetrics } from '../observability/metrics.ts';
import { Events, type EventsOptions, eventMetrics } from './events.ts';
import type { Occurrence } from './record.ts';

const refusal = (status: number, reason: string) => new ApiError(`refused: ${reason}`, { status, reason });

/** Events with a server that keeps them by name; `way` may fail or delay a write before the server sees it. */
function eventsOf(way: (signal: AbortSignal | undefined, name: string) => Promise<void> = async () => {}) {
  const clock = new FakeClock();
  const log = new FakeLog();
  const metrics = createMetrics({ tables: [eventMetrics] });
  const stored = new Map<string, Event>();
  const writes: string[] = [];
  const api: EventsOptions['api'] = {
    create: async (_resource, object, options) => {
      const event = object as unknown as Event;
      await way(options?.signal, event.regarding.name ?? '');
      if (stored.has(event.metadata.name)) throw refusal(409, 'AlreadyExists');
      writes.push(`create ${event.series?.count ?? 1}`);
      stored.set(event.metadata.name, event);
      return object;
    },
    patch: async <T>(...[, { name }, { body }, options]: Parameters<Api['patch']>) => {
      await way(options?.signal, stored.get(name)?.regarding.name ?? '');
      const event = stored.get(name);
      if (!event) throw refusal(404, 'NotFound');
      const changed = { ...event, ...(body as Partial<Event>) };
      writes.push(`patch ${changed.series?.count}`);
      stored.set(name, changed);
      return changed as T;
    },
  };
  let chance = 0;
  const random = { next: () => (chance += 0.001) };
  const events = new Events({ api, clock, random, log, metrics, controller: 'drover.dev/controller', instance: 'i' });
  const stop = new AbortController();
  const ended = events.run(stop.signal);
  const outcomes = async () => {
    const lines = (await metrics.text()).matchAll(/drover_events_total\{outcome="(\w+)"\} (\d+)/g);
    return Object.fromEntries([...lines].map(([, outcome, count]) => [outcome, Number(count)]));
  };
  return { clock, log, events, stored, writes, ended, outcomes, stop: () => stop.abort() };
}

/** Lets all writes that can go on do so: one settling is not enough for many. */
async function settled({ clock }: { clock: FakeClock }): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await clock.advance(0);
}

const machine = (name = 'm', namespace = 'ns'): KubeObject => ({
  kind: 'Machine',
  metadata: { namespace, name, uid: `uid-${name}` },
});
const created: Occurrence = { type: 'Normal', reason: 'Created', note: 'VM is there' };
const failed: Occurrence = { type: 'Warning', reason: 'CreateFailed', note: 'no room' };

test('a first occurrence is written once, without a series', async () => {
  const { clock, events, stored, writes } = eventsOf();
  events.record(machine(), created);
  await clock.advance(3_600_000);
  expect(writes).toEqual(['create 1']);
  expect([...stored.values()][0]?.series).toBeUndefined();
});

// hack/decisions/0028 W10
test('what happens a thousand times in one namespace keeps nothing silent that happens in another', async () => {
  const all = eventsOf();
  for (let n = 0; n < 1_000; n++) all.events.record(machine(`flood-${n}`, 'flood'), failed);
  all.events.record(machine('one', 'quiet'), failed);
  await settled(all);
  const namespaces = [...all.stored.values()].map(({ metadata }) => metadata.namespace);
  expect(namespaces.indexOf('quiet')).toBeWithin(0, 3);
});

test('events that differ in more than time are different events', async () => {
  const { clock, events, stored } = eventsOf();
  events.record(machine('a'), created);
  events.record(machine('b'), created);
  events.record(machine('b'), failed);
  await clock.advance(0);
  expect([...stored.values()].map(({ regarding, reason }) => `${regarding.name} ${reason}`)).toEqual([
    'a Created',
    'b CreateFailed',
    'b Created',
  ]);
});

test('the first repeat begins the series at once, later ones are written together every half minute', async () => {
  const { clock, events, stored, writes, outcomes } = eventsOf();
  for (let second = 0; second < 60; second++) {
    events.record(machine(), failed);
    await clock.advance(1_000);
  }
  await clock.advance(60_000);
  expect(writes).toEqual(['create 1', 'patch 2', 'patch 31', 'patch 60']);
  expect(stored.size).toBe(1);
  expect([...stored.values()][0]?.series).toEqual({ count: 60, lastObservedTime: '2026-01-01T00:00:59.000000Z' });
  expect(await outcomes()).toEqual({ written: 4, folded: 59 });
});

test('what happens again before it was written at all becomes one write', async () => {
  const { clock, events, writes } = eventsOf();
  for (let n = 0; n < 5; n++) events.record(machine(), failed);
  await clock.advance(0);
  expect(writes).toEqual(['create 5']);
});

test('a repeat after six minutes of silence is a new event', async () => {
  const { clock, events, stored, writes } = eventsOf();
  events.record(machine(), failed);
  await clock.advance(359_999);
  events.record(machine(), failed);
  await clock.advance(360_000);
  events.record(machine(), failed);
  await clock.advance(0);
  expect(writes).toEqual(['create 1', 'patch 2', 'create 1']);
  expect(stored.size).toBe(2);
});

test('an event that somebody deleted is made anew when its series goes on', async () => {
  const { clock, events, stored, writes } = eventsOf();
  events.record(machine(), failed);
  await clock.advance(0);
  stored.clear();
  events.record(machine(), failed);
  await clock.advance(0);
  expect(writes).toEqual(['create 1', 'create 2']);
});

test('a lost answer makes no second event', async () => {
  let answers = 0;
  const { clock, events, stored, writes } = eventsOf();
  const { set } = stored;
  stored.set = (...entry) => {
    set.apply(stored, entry);
    if (answers++ === 0) throw refusal(0, 'NetworkError');
    return stored;
  };
  events.record(machine(), created);
  await clock.advance(10_000);
  expect(stored.size).toBe(1);
  expect(writes[0]).toBe('create 1');
});

test('while the server does not answer events wait, and are written when it is back', async () => {
  let away = true;
  const it = eventsOf(async () => {
    if (away) throw refusal(0, 'NetworkError');
  });
  const { clock, log, events, writes, outcomes } = it;
  for (const name of ['a', 'b', 'c']) events.record(machine(name), created);
  await clock.advance(20_000);
  expect(log.lines.map((line) => line.message)).toEqual(Array(5).fill('Events wait for the server'));
  away = false;
  await clock.advance(5_000);
  await settled(it);
  expect(writes).toEqual(['create 1', 'create 1', 'create 1']);
  expect(await outcomes()).toEqual({ written: 3 });
});

describe('hack/decisions/0028 R10: a series that the server always fails at', () => {
  /** A server that fails at the events of `bad`, and keeps all others. */
  function failing(bad: readonly string[], error: ApiError) {
    const it = eventsOf(async (_, name) => {
      if (bad.includes(name)) throw error;
    });
    const written = () => [...it.stored.values()].map(({ regarding }) => regarding.name);
    return { ...it, written };
  }

  test.each([
    ['500', refusal(500, 'InternalError')],
    ['504', refusal(504, 'Timeout')],
    ['no answer in time', refusal(0, 'DeadlineExceeded')],
  ])('with %s costs the others nothing, and is given up in the end', async (_, error) => {
    const it = failing(['bad'], error);
    it.events.record(machine('bad'), failed);
    for (const name of ['a', 'b', 'c']) it.events.record(machine(name), created);
    await settled(it);
    expect(it.written()).toEqual(['a', 'b', 'c']);
    for (let minutes = 0; minutes < 60; minutes++) await it.clock.advance(60_000);
    expect(it.log.lines.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      'Event refused',
    ]);
    expect(await it.outcomes()).toEqual({ written: 3, refused: 1 });
  });

  test('is not alone: then the server is in trouble, is asked every five seconds, and nothing is lost', async () => {
    const bad = ['a', 'b', 'c', 'd'];
    const it = failing(bad, refusal(500, 'InternalError'));
    for (const name of bad) it.events.record(machine(name), created);
    await it.clock.advance(60_000);
    const waits = it.log.lines.filter(({ message }) => message === 'Events wait for the server');
    expect(waits.length).toBeWithin(8, 14);
    bad.length = 0;
    for (let minutes = 0; minutes < 6; minutes++) await it.clock.advance(60_000);
    await settled(it);
    expect(it.written().sort()).toEqual(['a', 'b', 'c', 'd']);
  });
});

test('what the server refuses is logged and counted once, and holds nothing up', async () => {
  let refuse = true;
  const { clock, log, events, writes, outcomes } = eventsOf(async () => {
    if (refuse) throw refusal(403, 'Forbidden');
  });
  events.record(machine('a'), created);
  await clock.advance(0);
  refuse = false;
  events.record(machine('b'), created);
  await clock.advance(60_000);
  expect(writes).toEqual(['create 1']);
  expect(log.lines).toMatchObject([
    { level: 'warn', message: 'Event refused', fields: { regarding: 'a', reason: 'Created' } },
  ]);
  expect(await outcomes()).toEqual({ refused: 1, written: 1 });
});

test('events keep to their own rate', async () => {
  const it = eventsOf();
  for (let n = 0; n < 200; n++) it.events.record(machine(`m-${n}`), created);
  await settled(it);
  expect(it.writes).toHaveLength(100);
  await it.clock.advance(1_000);
  expect(it.writes).toHaveLength(120);
});

test('recording never waits: what is beyond the bound is dropped and counted', async () => {
  const { clock, events, outcomes } = eventsOf((signal) => clock.sleep(60_000, signal));
  for (let n = 0; n < 3_000; n++) events.record(machine(`m-${n}`), created);
  expect(await outcomes()).toEqual({ dropped: 952 });
  for (let n = 0; n < 2_000; n++) events.record(machine(`m-${n}`), failed);
  expect(await outcomes()).toEqual({ dropped: 951 + 976 });
});

// hack/decisions/0028 T29
test('what happens without end in one namespace leaves room for what happens in another', async () => {
  const all = eventsOf();
  const { clock, events, stored } = all;
  for (let second = 0, nth = 0; second < 60; second++) {
    for (let n = 0; n < 100; n++) events.record(machine(`flood-${nth++}`, 'flood'), failed);
    events.record(machine(`quiet-${second}`, 'quiet'), failed);
    await clock.advance(1_000);
    await settled(all);
  }
  const written = [...stored.values()].filter(({ metadata }) => metadata.namespace === 'quiet');
  expect(written).toHaveLength(60);
});

test('warnings overtake what went well', async () => {
  const it = eventsOf();
  for (let n = 0; n < 150; n++) it.events.record(machine(`m-${n}`), created);
  await settled(it);
  it.events.record(machine('late'), failed);
  await it.clock.advance(100);
  const last = [...it.stored.values()].slice(100).map(({ reason }) => reason);
  expect([last.length < 5, last.includes('CreateFailed')]).toEqual([true, true]);
});

test('only so many series are remembered, those seen least recently go first', async () => {
  const { clock, events, writes } = eventsOf();
  for (let n = 0; n < 4_097; n++) {
    events.record(machine(`m-${n}`), created);
    await clock.advance(51);
  }
  events.record(machine('m-4096'), created);
  events.record(machine('m-0'), created);
  await clock.advance(1_000);
  expect(writes.slice(4_097)).toEqual(['patch 2', 'create 1']);
}, 30_000);

test('at the end what is left is still written, for a few seconds', async () => {
  const it = eventsOf((signal) => it.clock.sleep(900, signal));
  for (const name of ['a', 'b', 'c', 'd']) it.events.record(machine(name), created);
  await it.clock.advance(0);
  it.stop();
  it.events.record(machine('late'), created);
  for (let turn = 0; turn < 10; turn++) await it.clock.advance(400);
  await it.ended;
  expect(it.writes).toEqual(['create 1', 'create 1', 'create 1']);
  expect(it.clock.pending).toBe(0);
});
