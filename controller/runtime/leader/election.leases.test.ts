import { expect, test } from 'bun:test';
import { FakeClock } from '../clock.fake.ts';
import { FakeLog } from '../observability/log.fake.ts';
import type { CandidateOptions } from './candidate.ts';
import { LeaseServer } from './election.fake.ts';
import { type Leadership, leadAll } from './election.ts';

const NAMES = ['first', 'second'];

/** Two Leases on one server. */
function world() {
  const clock = new FakeClock();
  const servers = new Map(NAMES.map((name) => [name, new LeaseServer()]));
  const serverOf = (name = '') => servers.get(name) ?? new LeaseServer();
  const client = (name: string | undefined) => serverOf(name).client();
  const api: CandidateOptions['api'] = {
    get: (resource, ref, options) => client(ref.name).get(resource, ref, options),
    create: (resource, object, options) => client(object.metadata.name).create(resource, object, options),
    replace: (resource, object, options) => client(object.metadata.name).replace(resource, object, options),
  };
  const candidate = (identity: string) => {
    const [stop, log] = [new AbortController(), new FakeLog()];
    const it: { stop: AbortController; leads?: Leadership; failed?: unknown } = { stop };
    const times = { durationMs: 15_000, renewMs: 10_000, retryMs: 2_000 };
    const parts = { api, clock, log, random: { next: () => 0.5 }, namespace: 'ns', identity, signal: stop.signal };
    leadAll(NAMES, { ...parts, ...times }).then(
      (leads) => Object.assign(it, { leads }),
      (failed) => Object.assign(it, { failed }),
    );
    return it;
  };
  /** Somebody who took the Leases and was killed: nobody renews them. */
  const takenByDead = (...names: string[]) => {
    const spec = { holderIdentity: 'dead', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.000000Z' };
    for (const name of names) {
      const metadata = { name, namespace: 'ns', resourceVersion: '1' };
      serverOf(name).lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec };
    }
  };
  const holders = () => NAMES.map((name) => serverOf(name).lease?.spec?.holderIdentity);
  return { clock, candidate, takenByDead, holders };
}

test('several Leases of a dead leader are taken together, after one term and not one after the other', async () => {
  const { clock, candidate, takenByDead, holders } = world();
  takenByDead(...NAMES);
  const b = candidate('b');
  await clock.advance(14_999);
  expect(holders()).toEqual(['dead', 'dead']);
  await clock.advance(1);
  expect(holders()).toEqual(['b', 'b']);
  await clock.advance(0);
  expect(b.leads?.signal.aborted).toBe(false);
});

test('a Lease that is free is not taken before those in front of it, so that two cannot hold one each', async () => {
  const { clock, candidate, takenByDead, holders } = world();
  takenByDead('first');
  const both = ['a', 'b'].map(candidate);
  await clock.advance(14_999);
  expect(holders()).toEqual(['dead', undefined]);
  await clock.advance(60_000);
  expect(new Set(holders()).size).toBe(1);
  expect(both.filter(({ leads }) => leads)).toHaveLength(1);
});

test('one that stops waiting gives back what it holds, and one that leads gives back all', async () => {
  const { clock, candidate, takenByDead, holders } = world();
  takenByDead('second');
  const a = candidate('a');
  await clock.advance(1_000);
  expect(holders()).toEqual(['a', 'dead']);
  a.stop.abort(new Error('told to stop'));
  await clock.advance(1_000);
  expect(a.failed).toEqual(new Error('told to stop'));
  expect(holders()).toEqual(['', 'dead']);
  const b = candidate('b');
  await clock.advance(20_000);
  expect(holders()).toEqual(['b', 'b']);
  await b.leads?.release();
  expect(holders()).toEqual(['', '']);
});
