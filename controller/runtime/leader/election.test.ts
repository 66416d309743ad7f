import { expect, test } from 'bun:test';
import { FakeClock } from '../clock.fake.ts';
import { FakeLog } from '../observability/log.fake.ts';
import type { CandidateOptions } from './candidate.ts';
import { LeaseServer, refusal } from './election.fake.ts';
import { type Leadership, type LeaseOptions, lead } from './election.ts';

/** A candidate that runs, and what became of it. */
function candidateOf(server: LeaseServer, clock: FakeClock, more: Partial<LeaseOptions> = {}) {
  const log = new FakeLog();
  const stop = new AbortController();
  const it: { log: FakeLog; stop: AbortController; leads?: Leadership; failed?: unknown } = { log, stop };
  lead({
    api: server.client(),
    clock,
    log,
    random: { next: () => 0.5 },
    namespace: 'ns',
    name: 'l',
    identity: 'a',
    durationMs: 15_000,
    renewMs: 10_000,
    retryMs: 2_000,
    signal: stop.signal,
    ...more,
  }).then(
    (leads) => {
      it.leads = leads;
    },
    (error) => {
      it.failed = error;
    },
  );
  return it;
}

/** A way to the server that can be cut: calls then hang until they are aborted, as on a partitioned network. */
function cuttable() {
  const way = { cut: false, pass: (signal?: AbortSignal) => (way.cut ? hang(signal) : Promise.resolve()) };
  return way;
}

const hang = (signal?: AbortSignal) =>
  new Promise<void>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true }));

test('the first to come leads, makes the Lease and renews it every retry period', async () => {
  const [server, clock] = [new LeaseServer(), new FakeClock()];
  const a = candidateOf(server, clock);
  await clock.advance(0);
  expect(a.leads?.signal.aborted).toBe(false);
  expect(server.lease?.spec).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 });
  await clock.advance(20_000);
  expect(server.writes).toBe(11);
  expect(server.lease?.spec?.renewTime).toBe('2026-01-01T00:00:20.000000Z');
  expect(server.lease?.spec?.acquireTime).toBe('2026-01-01T00:00:00.000000Z');
});

test('of two that come at the same time one leads, and the other waits without complaint', async () => {
  const [server, clock] = [new LeaseServer(), new FakeClock()];
  const both = ['a', 'b'].map((identity) => candidateOf(server, clock, { identity }));
  await clock.advance(120_000);
  expect(both.map(({ leads }) => leads?.signal.aborted)).toEqual([false, undefined]);
  expect(both[1]?.log.lines).toMatchObject([
    { level: 'info', message: 'Lease is held by another', fields: { holder: 'a' } },
  ]);
});

test('a dead leader’s lease is taken once its term has passed unchanged, and not before', async () => {
  const [server, clock] = [new LeaseServer(), new FakeClock()];
  const way = cuttable();
  candidateOf(server, clock, { api: server.client(way.pass) });
  await clock.advance(0);
  const b = candidateOf(server, clock, { identity: 'b' });
  await clock.advance(1_000);
  way.cut = true;
  await clock.advance(13_999);
  expect(b.leads).toBeUndefined();
  await clock.advance(1);
  expect(b.leads?.signal.aborted).toBe(false);
  expect(server.lease?.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
});

test('times written in the Lease do not matter: only what a candidate saw itself', async () => {
  const [server, clock] = [new LeaseServer(), new FakeClock()];
  const spec = { holderIdentity: 'x', leaseDurationSeconds: 5, renewTime: '1999-01-01T00:00:00.000000Z' };
  server.lease = { metadata: { name: 'l', namespace: 'ns', resourceVersion: '1' }, spec };
  const a = candidateOf(server, clock);
  await clock.advance(4_000);
  server.lease.metadata = { ...server.lease.metadata, resourceVersion: '2', annotations: { touched: 'yes' } };
  await clock.advance(999);
  expect(a.leads).toBeUndefined();
  await clock.advance(1);
  expect(a.leads).toBeDefined();
});

test('a partitioned leader whose calls hang has ended itself before another leads', async () => {
  const [server, clock] = [new LeaseServer(), new FakeClock()];
  const way = cuttable();
  const a = candidateOf(server, clock, { api: server.client(way.pass) });
  const b = candidateOf(server, clock, { identity: 'b' });
  await clock.advance(4_000);
  way.cut = true;
  await clock.advance(9_999);
  expect(a.leads?.signal.aborted).toBe(false);
  expect(a.leads?.renewedMsAgo()).toBe(9_999);
  await clock.advance(1);
  expect(a.leads?.signal.aborted).toBe(true);
  expect(a.leads?.signal.reason.message).toContain('not renewed for 10000 ms');
  expect(b.leads).toBeUndefined();
  await clock.advance(5_001);
  expect(b.leads?.signal.aborted).toBe(false);
});

test('a term counts from the beginning of a renewal, however long its answer takes', async () => {
  const [server, clock] = [new LeaseServer(), new FakeClock()];
  let slow = 0;
  const a = candidateOf(server, clock, {
    api: server.client((signal) => (slow ? clock.sleep(slow, signal) : Promise.resolve())),
  });
  await clock.advance(0);
  slow = 4_000;
  await clock.advance(6_000);
  slow = 60_000;
  await clock.advance(5_999);
  expect(a.leads?.signal.aborted).toBe(false);
  await clock.advance(1);
  expect(a.leads?.signal.aborted).toBe(true);
});

test('failing renewals are logged and tried again, and a success in time keeps the lease', async () => {
  const [server, clock] = [new LeaseServer(), new FakeClock()];
  let broken = false;
  const a = candidateOf(server, clock, {
    api: server.client(async () => {
      if (broken) throw refusal(503, 'ServiceUnavailable');
    }),
  });
  await clock.advance(1_000);
  broken = true;
  await clock.advance(6_000);
  broken = false;
  await clock.advance(60_000);
  expect(a.leads?.signal.aborted).toBe(false);
  expect(a.log.lines.map((line) => line.message)).toEqual(['Lease held', ...Array(3).fill('Lease not renewed')]);
});

test('a leader whose Lease was touched or deleted by somebody goes on', async () => {
  const [server, clock] = [new LeaseServer(), new FakeClock()];
  const a = candidateOf(server, clock);
  await clock.advance(1_000);
  if (server.lease) server.lease.metadata.resourceVersion = 'touched';
  await clock.advance(2_000);
  server.lease = undefined;
  await clock.advance(2_000);
  expect(a.leads?.signal.aborted).toBe(false);
  expect(server.lease).toMatchObject({ spec: { holderIdentity: 'a', leaseTransitions: 0 } });
  expect(a.log.lines).toHaveLength(1);
});

test('a leader that finds another in its place ends itself at once', async () => {
  const [server, clock] = [new LeaseServer(), new FakeClock()];
  const a = candidateOf(server, clock);
  await clock.advance(1_000);
  const [spec, metadata] = [
    { holderIdentity: 'b', leaseDurationSeconds: 15 },
    { name: 'l', resourceVersion: 'theirs' },
  ];
  server.lease = { metadata, spec };
  await clock.advance(2_000);
  expect(a.leads?.signal.reason.message).toContain('it is held by b');
  expect(a.log.lines.at(-1)).toMatchObject({ level: 'error', message: 'Lease lost' });
  await clock.advance(60_000);
  expect(server.lease.spec).toEqual(spec);
  expect(clock.pending).toBe(0);
});

test('an answer that was lost does not cost the lease', async () => {
  const [server, clock] = [new LeaseServer(), new FakeClock()];
  const client = server.client();
  let lose = true;
  const lossy: CandidateOptions['api'] = {
    ...client,
    create: async (...call) => {
      const made = await client.create(...call);
      if (lose) throw refusal(0, 'NetworkError');
      return made;
    },
  };
  const a = candidateOf(server, clock, { api: lossy });
  await clock.advance(0);
  expect(a.leads).toBeUndefined();
  lose = false;
  await clock.advance(2_000);
  expect(a.leads?.signal.aborted).toBe(false);
});

test('a released lease is free for the next at its next look, and the leader’s signal aborts without an error line', async () => {
  const [server, clock] = [new LeaseServer(), new FakeClock()];
  const a = candidateOf(server, clock);
  await clock.advance(500);
  const b = candidateOf(server, clock, { identity: 'b' });
  await clock.advance(1_000);
  await a.leads?.release();
  expect(a.leads?.signal.aborted).toBe(true);
  expect(server.lease?.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
  await clock.advance(1_000);
  expect(b.leads?.signal.aborted).toBe(false);
  expect(a.log.lines.map((line) => line.level)).toEqual(['info']);
});

test('a lease that was lost is not released over its new holder', async () => {
  const [server, clock] = [new LeaseServer(), new FakeClock()];
  const way = cuttable();
  const a = candidateOf(server, clock, { api: server.client(way.pass) });
  await clock.advance(0);
  way.cut = true;
  const b = candidateOf(server, clock, { identity: 'b' });
  await clock.advance(16_000);
  way.cut = false;
  await a.leads?.release();
  expect(b.leads?.signal.aborted).toBe(false);
  expect(server.lease?.spec?.holderIdentity).toBe('b');
});

test('a release that fails is logged and not thrown', async () => {
  const [server, clock] = [new LeaseServer(), new FakeClock()];
  let broken = false;
  const a = candidateOf(server, clock, {
    api: server.client(async () => {
      if (broken) throw refusal(403, 'Forbidden');
    }),
  });
  await clock.advance(0);
  broken = true;
  await a.leads?.release();
  expect(a.log.lines.at(-1)).toMatchObject({ level: 'warn', message: 'Lease not released' });
});

test('a candidacy ends with its signal, and leaves no timer', async () => {
  const [server, clock] = [new LeaseServer(), new FakeClock()];
  const a = candidateOf(server, clock);
  const b = candidateOf(server, clock, { identity: 'b' });
  await clock.advance(5_000);
  b.stop.abort(new Error('stop'));
  await clock.advance(0);
  expect(b.failed).toEqual(new Error('stop'));
  await a.leads?.release();
  expect(clock.pending).toBe(0);
});

test('a lease that is won while the candidacy ends is released at once', async () => {
  const [server, clock] = [new LeaseServer(), new FakeClock()];
  const a = candidateOf(server, clock, { api: server.client(() => clock.sleep(100)) });
  await clock.advance(150);
  a.stop.abort(new Error('stop'));
  await clock.advance(1_000);
  expect(a.failed).toEqual(new Error('stop'));
  expect(server.lease?.spec?.holderIdentity).toBe('');
  expect(clock.pending).toBe(0);
});

test.each([
  [10_000, 10_000, 2_000],
  [15_000, 2_400, 2_000],
  [15_000, 10_000, 0],
])(
  'a lease duration of %d, a renew deadline of %d and a retry period of %d ms are refused',
  (durationMs, renewMs, retryMs) => {
    const clock = new FakeClock();
    const options = { durationMs, renewMs, retryMs };
    const a = candidateOf(new LeaseServer(), clock, options);
    return clock.advance(0).then(() => expect(a.failed).toBeInstanceOf(RangeError));
  },
);

test('a leader knows when somebody else led last, if anybody did', async () => {
  const [server, clock] = [new LeaseServer(), new FakeClock()];
  const first = candidateOf(server, clock);
  await clock.advance(0);
  expect(first.leads).not.toHaveProperty('heldBefore');
  await clock.advance(4_000);
  await first.leads?.release();
  const releasedAt = clock.now();
  await clock.advance(60_000);
  const second = candidateOf(server, clock, { identity: 'b' });
  await clock.advance(0);
  expect(second.leads?.heldBefore).toBe(releasedAt);
});
