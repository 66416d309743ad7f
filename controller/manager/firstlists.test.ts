import { expect, test } from 'bun:test';
import { FakeClock } from '../runtime/clock.fake.ts';
import { systemClock } from '../runtime/clock.ts';
import { FakeLog } from '../runtime/observability/log.fake.ts';
import { createMetrics } from '../runtime/observability/metrics.ts';
import { Vitals } from '../runtime/program/vitals.ts';
import { seededRandom } from '../runtime/random.ts';
import { leadOnce, type Stage, unlistedOf } from './leader.ts';
import { metricTables } from './metrics.ts';

// hack/decisions/0028 W8: who holds the lease and cannot read the first lists keeps others from the work, and says so.

const settings = {
  controllers: ['machine'],
  installationId: 'farm',
  kubeApiBurst: 10,
  kubeApiQps: 10,
  leaderElectLeaseDuration: 15_000,
  leaderElectNamespace: 'drover-system',
  leaderElectRenewDeadline: 10_000,
  leaderElectRetryPeriod: 2_000,
  machineSafetyApiserverStatuscheckTimeout: 30_000,
};

const SAYS = 'first lists: not in after 600 s, though this process holds the lease';

test.each([
  ['may take its time', 599_999, undefined],
  ['is beyond help', 600_000, SAYS],
])('a leader whose first lists are not in %s after %i ms', (_, ms, says) => {
  expect(unlistedOf(ms)).toBe(says as string);
});

/** A server that takes the lease, and refuses all else. */
function refusing() {
  let lease: { metadata: object } | undefined;
  let version = 0;
  return async (url: string, { method, body }: BunFetchRequestInit) => {
    if (!url.includes('/leases')) return Response.json({ kind: 'Status', reason: 'Forbidden' }, { status: 403 });
    if (method !== 'GET') lease = JSON.parse(String(body));
    if (!lease) return Response.json({ kind: 'Status', reason: 'NotFound' }, { status: 404 });
    return Response.json({ ...lease, metadata: { ...lease.metadata, resourceVersion: String(++version) } });
  };
}

/** What is wrong with a process after so long in a term without first lists. */
async function wrongAfter(seconds: number, leaderElect: boolean) {
  const [clock, stop, stages] = [new FakeClock(), new AbortController(), [] as Stage[]];
  const vitals = new Vitals(new FakeLog());
  const metrics = createMetrics({ tables: Object.values(metricTables) });
  const control = {
    server: 'https://control',
    credentials: { header: () => undefined, refresh() {} },
    send: refusing(),
  };
  const beside = { clock, log: new FakeLog(), metrics, random: seededRandom(1), vitals };
  const given = { ...beside, connections: { control }, identity: 'me', settings: { ...settings, leaderElect } };
  const term = leadOnce(given as never, stop.signal, (stage) => void stages.push(stage)).catch(() => {});
  for (let passed = 0; passed < seconds; passed += 1) {
    await clock.advance(1_000);
    await systemClock.sleep(0);
  }
  const wrong = vitals.wrong();
  stop.abort(new Error('that was all'));
  await term;
  return { wrong, stages, afterwards: vitals.wrong() };
}

test.each([
  ['fails once it has held the lease for ten minutes', 620, true, /^first lists: not in after 6[01]\d s, though/],
  ['is well before that', 500, true, undefined],
  ['is well without election, for it keeps nobody from the work', 620, false, undefined],
])('a process whose first lists are refused %s', async (_, seconds, leaderElect, says) => {
  const { wrong, stages, afterwards } = await wrongAfter(seconds, leaderElect);
  expect(stages).toEqual(['reading the first lists']);
  if (says) expect(wrong).toMatch(says);
  else expect(wrong).toBeUndefined();
  expect(afterwards).toBeUndefined();
});
