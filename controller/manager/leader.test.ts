import { expect, test } from 'bun:test';
import { FakeClock } from '../runtime/clock.fake.ts';
import { FakeLog } from '../runtime/observability/log.fake.ts';
import { createMetrics } from '../runtime/observability/metrics.ts';
import { seededRandom } from '../runtime/random.ts';
import { clocksFrom, leadOnce, overdueOf } from './leader.ts';
import { metricTables } from './metrics.ts';

const clock = new FakeClock();
const now = clock.now();
const settings = { machineSafetyApiserverStatuscheckTimeout: 30_000 };

test.each([
  ['go on when the one before led until now', now - 20_000, 19_000, 0],
  ['go on when its clock was a little ahead', now + 20_000, 0, 0],
  ['begin anew when nobody led for a while', now - 31_000, 0, now],
  ['begin anew when that cannot be told', now + 300_000, 0, now],
  ['begin anew when its clock was ahead by as much as nobody led for, as far as was seen', now, 31_000, now],
  ['begin anew when nobody ever led, or nobody is elected', undefined, undefined, now],
])('clocks of machines %s (hack/decisions/0051 L95)', (_what, heldBefore, unseenMs, from) => {
  const lead = {
    ...(heldBefore !== undefined && { heldBefore }),
    ...(unseenMs !== undefined && { heldAfter: clock.monotonic() - unseenMs }),
  };
  expect(clocksFrom({ clock, settings } as never, lead)).toBe(from);
});

const election = {
  ...settings,
  controllers: ['machine'],
  kubeApiQps: 10,
  kubeApiBurst: 10,
  leaderElectNamespace: 'drover-system',
  leaderElectLeaseDuration: 15_000,
  leaderElectRenewDeadline: 10_000,
  leaderElectRetryPeriod: 2_000,
};

test.each([
  ['is as it should be while the lease is renewed', 2_000, undefined],
  ['may take its time to end when it has lost it', 44_999, undefined],
  ['is beyond help when it has not ended long after that', 45_000, 'lease: not renewed for 45 s'],
])('a leader %s (hack/decisions/0028 R10)', (_, ms, says) => {
  const wrong = overdueOf({ settings: election } as never, { renewedMsAgo: () => ms });
  if (says === undefined) expect(wrong).toBeUndefined();
  else expect(wrong).toStartWith(says);
});

/** What the metric says at each stage of a term that ends because an API server cannot be asked, and how that was asked. */
async function leadingSeen(leaderElect: boolean, asked: BunFetchRequestInit[] = []) {
  const metrics = createMetrics({ tables: Object.values(metricTables) });
  const seen: string[] = [];
  const look = async () => seen.push(/^drover_leader \d$/m.exec(await metrics.text())?.[0] ?? 'nothing');
  const stop = new AbortController();
  const send = async (_url: string, request: BunFetchRequestInit) => {
    asked.push(request);
    await look();
    stop.abort(new Error('that was all'));
    throw new Error('no way to the API server');
  };
  const control = { server: 'https://control', credentials: { header: () => undefined, refresh() {} }, send };
  const beside = { clock, log: new FakeLog(), metrics, random: seededRandom(1) };
  const given = { ...beside, connections: { control }, identity: 'me' };
  const term = leadOnce({ ...given, settings: { ...election, leaderElect } } as never, stop.signal, () => {});
  await term.catch(() => {});
  await look();
  return seen;
}

test('a replica that waits for the lease says that it does not lead', async () => {
  expect((await leadingSeen(true))[0]).toBe('drover_leader 0');
});

test('the lease is asked for on a connection of its own (hack/decisions/0028 R6)', async () => {
  const asked: BunFetchRequestInit[] = [];
  await leadingSeen(true, asked);
  expect(asked[0]?.keepalive).toBe(false);
});

test('a replica that needs no lease leads at once, and no longer when its term is over', async () => {
  expect(await leadingSeen(false)).toEqual(['drover_leader 1', 'drover_leader 0']);
});
