import { describe, expect, test } from 'bun:test';
import type { Target } from '../model/target.ts';
import { benchDrain, podOn } from './drains.fixture.ts';
import { applyDrain } from './evictions.ts';
import { planDrain } from './flow/plan.ts';
import { NOW, pod } from './flow/view.fixture.ts';
import type { DrainRequest } from './memory.ts';
import { observeDrain } from './observe.ts';
import type { PodResult } from './podtracker.ts';
import type { Drains } from './tracker.ts';

const hanging = () => new Promise<never>(() => {});

/** How many pods more of the Node may be deleted that were not deleted before. */
const roomIn = (drains: Drains, request: DrainRequest) => drains.flights.room(drains.of(request)).deletion.first;

/** Drains of so many Nodes of one target, with 20 pods each, and how many calls for each are in flight once all have had their turn. */
function fleet(nodes: number, deadline = NOW) {
  const bench = benchDrain();
  const { drains, clock, target, request } = bench;
  const requests = Array.from({ length: nodes }, (_, n) => ({
    ...request,
    uid: `uid-${n}`,
    key: `herd/${n}`,
    nodeName: `node-${n}`,
    deadline,
  }));
  const pods = requests.map(({ nodeName }) =>
    Array.from({ length: 20 }, (_, n) => ({ ...podOn(`${nodeName}-${n}`), spec: { nodeName } })),
  );
  for (const one of pods.flat()) target.pods.put(one);
  const round = async (): Promise<number[]> => {
    for (const one of requests) {
      const outcome = planDrain(observeDrain({ drains, clock }, one));
      if (outcome.kind === 'act') applyDrain(drains, one.uid, outcome.action);
      await clock.advance(0);
    }
    const left = (uid: string) =>
      [...(drains.known(uid)?.pods.values() ?? [])].filter(({ inFlight }) => inFlight).length;
    return requests.map(({ uid }) => left(uid));
  };
  return { ...bench, requests, round };
}

describe('calls in flight', () => {
  // hack/decisions/0051 L60
  test('are of a Node half of what the others leave', async () => {
    const { server, round } = fleet(5);
    server.onCall = hanging;
    expect(await round()).toEqual([10, 5, 2, 1, 1]);
    expect(await round()).toEqual([10, 5, 2, 1, 1]);
  });

  test('call who found no room when there is some', async () => {
    const { server, round, drains, clock, enqueued, requests } = fleet(7);
    const answer = Promise.withResolvers<void>();
    server.onCall = () => answer.promise;
    expect(await round()).toEqual([10, 5, 2, 1, 1, 0, 0]);
    expect(enqueued).not.toContain('herd/5 0');
    answer.resolve();
    await clock.advance(0);
    expect(enqueued).toContain('herd/5 0');
    expect(requests.map((one) => roomIn(drains, one))).toEqual(requests.map(() => 10));
  });

  test('make room when they are answered', async () => {
    const { server, round, drains, requests } = fleet(5);
    const answer = Promise.withResolvers<void>();
    server.onCall = () => answer.promise;
    await round();
    answer.resolve();
    for (let n = 0; n < 4; n++) await round();
    expect(await round()).toEqual([0, 0, 0, 0, 0]);
    expect(server.calls).toHaveLength(100);
    const rooms = requests.map((one) => roomIn(drains, one));
    expect(rooms).toEqual([10, 10, 10, 10, 10]);
  });

  test('that give way to force do not count, then or later', async () => {
    const { server, round, requests } = fleet(5, Infinity);
    server.onCall = hanging;
    expect(await round()).toEqual([1, 1, 1, 1, 1]);
    for (const one of requests) one.deadline = NOW;
    expect(await round()).toEqual([10, 5, 2, 1, 1]);
    expect(server.calls.filter((call) => call.startsWith('delete'))).toHaveLength(19);
  });

  test('of one target take no room from another', async () => {
    const { server, round, drains, request } = fleet(4);
    server.onCall = hanging;
    await round();
    const elsewhere = {
      ...request,
      uid: 'other',
      target: { ...request.target, cluster: 'other' } as unknown as Target,
    };
    expect(roomIn(drains, { ...elsewhere, deadline: NOW })).toBe(10);
  });

  test('leave no timer behind when they end', async () => {
    const { run, target, clock } = benchDrain();
    target.pods.put(podOn('a'));
    const before = clock.pending;
    await run();
    expect(clock.pending).toBe(before);
  });
});

describe('an attempt for a pod', () => {
  /** Starts attempts for one pod that never end, and tells which were carried out, and which given up. */
  function started() {
    const { drains, request } = benchDrain();
    const memory = drains.of(request);
    const ran: string[] = [];
    const start = (kind: 'eviction' | 'deletion', byForce = false) =>
      drains.flights.start(memory, {
        kind,
        pod: pod('a'),
        byForce,
        run: (signal) => {
          ran.push(kind);
          signal.addEventListener('abort', () => ran.push(`no ${kind}`));
          return hanging() as Promise<PodResult>;
        },
      });
    return { start, ran };
  }

  test.each<[before: 'eviction' | 'deletion', next: 'eviction' | 'deletion', byForce: boolean, ran: string[]]>([
    ['eviction', 'eviction', false, ['eviction']],
    ['eviction', 'deletion', false, ['eviction']],
    ['eviction', 'deletion', true, ['eviction', 'no eviction', 'deletion']],
    ['deletion', 'deletion', true, ['deletion']],
  ])('after %s: %s, by force %p', (before, next, byForce, expected) => {
    const { start, ran } = started();
    start(before);
    start(next, byForce);
    expect(ran).toEqual(expected);
  });
});
