import { expect, test } from 'bun:test';
import { FakeClock } from '../clock.fake.ts';
import { loopOf } from './loop.fixture.ts';
import type { Result } from './loop.ts';

/** Passes that last until they are told what to answer. */
function heldPasses() {
  const running = new Map<string, { answer: (result: Result) => void; signal: AbortSignal }>();
  const reconcile = (key: string, signal: AbortSignal) =>
    new Promise<Result>((answer) => {
      running.set(key, { answer, signal });
    });
  return { running, reconcile };
}

test('keys are reconciled as they come, as many at a time as there are workers', async () => {
  const { running, reconcile } = heldPasses();
  const loop = loopOf(reconcile);
  for (const key of ['a', 'b', 'c']) loop.queue.add(key);
  await loop.clock.advance(5);
  expect(loop.passes).toEqual(['a@0', 'b@0']);
  running.get('a')?.answer({});
  await loop.clock.advance(0);
  expect(loop.passes).toEqual(['a@0', 'b@0', 'c@5']);
});

test('a key is looked at again when its result says so, with its priority of then', async () => {
  const priorities: number[] = [];
  const loop = loopOf(async () => ({ after: 1000 }), { priorityOf: () => priorities.push(0) });
  loop.queue.add('a');
  await loop.clock.advance(2500);
  expect(loop.passes).toEqual(['a@0', 'a@1000', 'a@2000']);
  expect(priorities).toHaveLength(3);
});

test('a key with nothing to wait for, or for ever, is not looked at again', async () => {
  const loop = loopOf(async (key) => (key === 'a' ? {} : { after: Infinity }));
  loop.queue.add('a');
  loop.queue.add('b');
  await loop.clock.advance(3_600_000);
  expect(loop.passes).toEqual(['a@0', 'b@0']);
  expect(loop.queue.size).toBe(0);
});

test('what a pass throws is logged once with its key, and retried with growing back-off; other keys go on', async () => {
  const loop = loopOf(async (key) => {
    if (key === 'bad') throw new Error('no such field');
    return {};
  });
  loop.queue.add('bad');
  loop.queue.add('good');
  await loop.clock.advance(300);
  expect(loop.passes).toEqual(['bad@0', 'good@0', 'bad@100', 'bad@300']);
  expect(loop.log.lines).toMatchObject([
    { level: 'error', fields: { loop: 'machine', key: 'bad', failures: 1, retryMs: 100 } },
    { level: 'error', fields: { loop: 'machine', key: 'bad', failures: 2, retryMs: 200 } },
    { level: 'error', fields: { loop: 'machine', key: 'bad', failures: 3, retryMs: 400 } },
  ]);
});

test('a throw before the first await is contained, too', async () => {
  const loop = loopOf(() => {
    throw new TypeError('at once');
  });
  loop.queue.add('a');
  await loop.clock.advance(100);
  expect(loop.passes).toEqual(['a@0', 'a@100']);
});

test('a retry backs off, but never beyond the time that the result names; success forgets the back-off', async () => {
  const results: Result[] = [{ retry: true }, { retry: true }, { retry: true, after: 50 }, {}, { retry: true }, {}];
  const loop = loopOf(async () => results.shift() ?? {});
  loop.queue.add('a');
  await loop.clock.advance(1000);
  expect(loop.passes).toEqual(['a@0', 'a@100', 'a@300', 'a@350']);
  loop.queue.add('a');
  await loop.clock.advance(1000);
  expect(loop.passes.slice(4)).toEqual(['a@1000', 'a@1100']);
});

test('a key is held until its writes are visible, while the worker goes on (hack/spec/cluster-api.md F2 12)', async () => {
  const seen = Promise.withResolvers<void>();
  const loop = loopOf(async (key) => (key === 'a' ? { expectations: [seen.promise], after: 0 } : {}), { workers: 1 });
  loop.queue.add('a');
  await loop.clock.advance(0);
  loop.queue.add('a');
  loop.queue.add('b');
  await loop.clock.advance(1000);
  expect(loop.passes).toEqual(['a@0', 'b@0']);
  seen.resolve();
  await loop.clock.advance(0);
  expect(loop.passes[2]).toBe('a@1000');
});

test('a key whose writes never become visible is held for five seconds, and then goes on with a warning', async () => {
  const never = new Promise<void>(() => {});
  const failed = Promise.reject(new Error('cache ended'));
  const loop = loopOf(async (key) =>
    key === 'a' ? { expectations: [never], after: 7000 } : { expectations: [failed] },
  );
  loop.queue.add('a');
  loop.queue.add('b');
  await loop.clock.advance(0);
  for (const key of ['a', 'b']) loop.queue.add(key);
  await loop.clock.advance(5000);
  expect(loop.passes).toEqual(['a@0', 'b@0', 'b@0', 'a@5000']);
  expect(loop.log.lines).toMatchObject([{ level: 'warn', fields: { key: 'a' } }]);
});

test('the time until the next look counts from the end of the pass, not from when its writes were seen', async () => {
  const seen = Promise.withResolvers<void>();
  const loop = loopOf(async () => ({ expectations: [seen.promise], after: 1000 }));
  loop.queue.add('a');
  await loop.clock.advance(400);
  seen.resolve();
  await loop.clock.advance(600);
  expect(loop.passes).toEqual(['a@0', 'a@1000']);
});

test('a priority that cannot be told does not lose the key', async () => {
  const loop = loopOf(async () => ({ after: 1000 }), {
    priorityOf: () => {
      throw new Error('no such object');
    },
  });
  loop.queue.add('a');
  await loop.clock.advance(1000);
  expect(loop.passes).toEqual(['a@0', 'a@1000']);
  expect(loop.log.lines[0]).toMatchObject({ message: 'Priority unknown', fields: { key: 'a' } });
});

test('a stopped loop hands nothing out and waits for the passes that run', async () => {
  const { running, reconcile } = heldPasses();
  const loop = loopOf(reconcile, { workers: 1 });
  loop.queue.add('a');
  loop.queue.add('b');
  await loop.clock.advance(0);
  loop.stop();
  await loop.clock.advance(9_999);
  expect(running.get('a')?.signal.aborted).toBe(false);
  running.get('a')?.answer({ after: 1 });
  await loop.ended;
  expect(loop.passes).toEqual(['a@0']);
  expect(loop.clock.pending).toBe(0);
  expect(loop.log.lines).toEqual([]);
});

test('a stopped loop gives up on a pass that hangs, aborts it and says which', async () => {
  const { running, reconcile } = heldPasses();
  const loop = loopOf(reconcile);
  loop.queue.add('hangs');
  await loop.clock.advance(0);
  loop.stop();
  await loop.clock.advance(10_000);
  await loop.ended;
  expect(running.get('hangs')?.signal.aborted).toBe(true);
  expect(loop.log.lines).toMatchObject([{ level: 'warn', fields: { keys: ['hangs'] } }]);
  expect(loop.clock.pending).toBe(0);
});

test('a stopped loop does not wait for writes to become visible', async () => {
  const loop = loopOf(async () => ({ expectations: [new Promise<void>(() => {})] }));
  loop.queue.add('a');
  await loop.clock.advance(0);
  loop.stop();
  await loop.ended;
  expect(loop.clock.pending).toBe(0);
});

test('a loop whose signal has aborted before it begins ends at once', async () => {
  const loop = loopOf(async () => ({}), { signal: AbortSignal.abort() });
  loop.queue.add('a');
  await loop.ended;
  expect(loop.passes).toEqual([]);
});

test('a worker that never has to wait lets timers have their turn', async () => {
  const loop = loopOf(async () => ({ after: 0 }), { workers: 1 });
  loop.queue.add('a');
  await Promise.resolve();
  loop.stop();
  await loop.clock.advance(0);
  await loop.ended;
  expect(loop.passes.length).toBeLessThan(200);
});

test('many workers that never have to wait let timers have their turn as soon as one would', async () => {
  const loop = loopOf(async () => ({}), { workers: 50 });
  for (let n = 0; n < 10_000; n++) loop.queue.add(`key-${n}`);
  for (let turn = 0; turn < 5_000; turn++) await Promise.resolve();
  expect(loop.passes.length).toBeLessThan(64 + 50 + 1);
  await loop.clock.advance(0);
  expect(loop.passes.length).toBe(10_000);
  loop.stop();
  await loop.ended;
});

// hack/decisions/0028 T18
test('passes that take long let timers have their turn after 20 ms of them', async () => {
  const clock = new SlowClock();
  const loop = loopOf(
    async () => {
      clock.took += 6;
      return {};
    },
    { clock },
  );
  for (let n = 0; n < 60; n++) loop.queue.add(`key-${n}`);
  for (let turn = 0; turn < 5_000; turn++) await Promise.resolve();
  expect(loop.passes.length).toBeLessThan(4 + 2 + 1);
  await clock.advance(0);
  expect(loop.passes.length).toBe(60);
  loop.stop();
  await loop.ended;
});

/** A clock on which time passes while passes work. */
class SlowClock extends FakeClock {
  took = 0;

  override monotonic(): number {
    return super.monotonic() + this.took;
  }
}

test('passes are counted by outcome, and waiting, running and oldest keys are measured', async () => {
  const { running, reconcile } = heldPasses();
  const results: Record<string, Result> = { ok: {}, later: { after: 60_000 }, again: { retry: true } };
  const loop = loopOf(
    async (key, signal) => {
      if (key === 'thrown') throw new Error('no');
      return results[key] ?? reconcile(key, signal);
    },
    { workers: 1, priorityOf: () => 98 },
  );
  for (const key of ['ok', 'later', 'again', 'thrown', 'held']) loop.queue.add(key);
  await loop.clock.advance(2000);
  expect((await loop.metricLines('drover_reconcile_total')).sort()).toEqual([
    'drover_reconcile_total{name="machine",outcome="after"} 1',
    'drover_reconcile_total{name="machine",outcome="error"} 1',
    'drover_reconcile_total{name="machine",outcome="retry"} 1',
    'drover_reconcile_total{name="machine",outcome="success"} 1',
  ]);
  expect(await loop.metricLines('mcm_workqueue_retries_total')).toEqual([
    'mcm_workqueue_retries_total{name="machine"} 2',
  ]);
  expect(await loop.metricLines('mcm_workqueue_adds_total')).toEqual(['mcm_workqueue_adds_total{name="machine"} 7']);
  expect(await loop.metricLines('mcm_workqueue_depth')).toEqual(['mcm_workqueue_depth{name="machine"} 2']);
  expect(await loop.metricLines('drover_workqueue_depth')).toContain(
    'drover_workqueue_depth{name="machine",band="urgent"} 2',
  );
  expect(await loop.metricLines('drover_workqueue_oldest')).toEqual([
    'drover_workqueue_oldest_ready_seconds{name="machine"} 1.9',
  ]);
  expect(await loop.metricLines('mcm_workqueue_unfinished')).toEqual([
    'mcm_workqueue_unfinished_work_seconds{name="machine"} 2',
  ]);
  expect(await loop.metricLines('mcm_workqueue_longest')).toEqual([
    'mcm_workqueue_longest_running_processor_seconds{name="machine"} 2',
  ]);
  running.get('held')?.answer({});
  await loop.clock.advance(0);
  expect(await loop.metricLines('mcm_workqueue_work_duration_seconds_sum')).toEqual([
    'mcm_workqueue_work_duration_seconds_sum{name="machine"} 2',
  ]);
  expect(await loop.metricLines('drover_metrics_errors_total')).toEqual([]);
});

// hack/decisions/0028 W8: loops come and go with Clusters, whose names are a tenant's to choose.
test('leaves no series behind when it ends', async () => {
  const { queue, ended, stop, metricLines, clock } = loopOf(async () => ({}), { name: 'token herd/c' });
  queue.add('a');
  await clock.advance(1);
  expect(await metricLines('')).toContainEqual(expect.stringContaining('token herd/c'));
  stop();
  await ended;
  expect((await metricLines('')).filter((line) => line.includes('token herd/c'))).toEqual([]);
});
