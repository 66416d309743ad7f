import { expect, test } from 'bun:test';
import { FakeClock } from '../clock.fake.ts';
import { FakeLog } from '../observability/log.fake.ts';
import type { CandidateOptions } from './candidate.ts';
import { LeaseServer } from './election.fake.ts';
import { type Leadership, leadAll } from './election.ts';

// hack/decisions/0051 L95

const SECOND = 1_000;

/** A Lease, a leader that dies after so many seconds, and those who stand by; each may be cut off from the server. */
function world() {
  const [server, clock] = [new LeaseServer(), new FakeClock()];
  const candidate = (identity: string, cut = false) => {
    const it: { cut: boolean; leads?: Leadership; waitedMs?: number } = { cut };
    const way = async () => {
      if (it.cut) throw new Error('no way to the API server');
    };
    const api: CandidateOptions['api'] = server.client(way);
    const times = { durationMs: 15_000, renewMs: 10_000, retryMs: 2_000 };
    const signal = new AbortController().signal;
    const parts = { api, clock, log: new FakeLog(), random: { next: () => 0.5 }, namespace: 'ns', identity, signal };
    void leadAll(['l'], { ...parts, ...times }).then((leads) => {
      Object.assign(it, { leads, waitedMs: clock.monotonic() - (leads.heldAfter ?? Number.NaN) });
    });
    return it;
  };
  return { clock, candidate };
}

test('who stood by and saw each renewal knows that somebody led until a term ago', async () => {
  const { clock, candidate } = world();
  const first = candidate('a');
  const standby = candidate('b');
  await clock.advance(60 * SECOND);
  first.cut = true;
  await clock.advance(30 * SECOND);
  expect(standby.waitedMs).toBeGreaterThanOrEqual(15 * SECOND);
  expect(standby.waitedMs).toBeLessThan(20 * SECOND);
});

test('who could not look while somebody renewed, and died, cannot tell that anybody led meanwhile', async () => {
  const { clock, candidate } = world();
  const first = candidate('a');
  const standby = candidate('b');
  await clock.advance(60 * SECOND);
  standby.cut = true;
  await clock.advance(20 * SECOND);
  first.cut = true;
  await clock.advance(100 * SECOND);
  standby.cut = false;
  await clock.advance(30 * SECOND);
  expect(standby.waitedMs).toBeGreaterThanOrEqual(135 * SECOND);
  expect(standby.waitedMs).toBeLessThan(145 * SECOND);
});

test('who began while the server was away cannot tell that anybody has led since', async () => {
  const { clock, candidate } = world();
  const first = candidate('a');
  await clock.advance(10 * SECOND);
  first.cut = true;
  const late = candidate('b', true);
  await clock.advance(100 * SECOND);
  late.cut = false;
  await clock.advance(30 * SECOND);
  expect(late.waitedMs).toBeGreaterThanOrEqual(115 * SECOND);
});

test('who begins after another has let go waits for nothing', async () => {
  const { clock, candidate } = world();
  const first = candidate('a');
  await clock.advance(10 * SECOND);
  await first.leads?.release();
  const next = candidate('b');
  await clock.advance(0);
  expect(next.waitedMs).toBe(0);
});
