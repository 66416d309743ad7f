import { expect, test } from 'bun:test';
import type { Cluster } from '../../schemas/cluster.ts';
import { controllerProgram } from '../../schemas/config/controller.ts';
import { parseSettings } from '../../schemas/config.ts';
import { Api } from '../runtime/client/api.ts';
import { type Connection, noCredentials } from '../runtime/client/connection.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import { Reach } from '../runtime/health/probe.ts';
import { FakeLog } from '../runtime/observability/log.fake.ts';
import { createMetrics } from '../runtime/observability/metrics.ts';
import { seededRandom } from '../runtime/random.ts';
import { Cache } from '../runtime/watch/cache.ts';
import { gateOf } from '../safety/outage/gate.ts';
import type { Process } from '../state/deps.ts';
import { TargetCluster } from './cluster.ts';
import { TargetPool } from './pool.ts';

/** hack/decisions/0028 O13: what was seen of a kind that has grown too large since is old, and nothing is decided by it. */

const MOST = { objects: 3, bytes: 1 << 20 };
const machine = { metadata: { name: 'm', namespace: 'herd', labels: { 'cluster.k8s.io/cluster-name': 'east' } } };

const REFUSED = -1;

/** A server that has so many objects of each kind, by plural; watches tell nothing. */
function server(counts: Record<string, number>): Connection {
  let version = 0;
  const send: Connection['send'] = (url, { signal }) => {
    if (url.includes('watch=true')) return Promise.resolve(new Response(quiet(signal)));
    const plural = /\/(\w+)\?/.exec(url)?.[1] ?? '';
    if (counts[plural] === REFUSED) return Promise.resolve(new Response('', { status: 403 }));
    version += 1;
    const items = Array.from({ length: counts[plural] ?? 0 }, (_, at) => {
      const metadata = { name: `${plural}-${at}`, uid: `${at}`, resourceVersion: '1' };
      return { metadata, spec: { nodeName: 'n' } };
    });
    return Promise.resolve(Response.json({ metadata: { resourceVersion: `${version}` }, items }));
  };
  return { server: 'http://there', credentials: noCredentials, send };
}

/** The body of a watch on which nothing comes. */
const quiet = (signal: AbortSignal | undefined | null) =>
  new ReadableStream({ start: (told) => signal?.addEventListener('abort', () => told.error(signal.reason)) });

const UNREACHABLE_MS = 30_000;

function scene(counts: Record<string, number>, metadata = {}) {
  const parsed = parseSettings(controllerProgram, { args: [], env: {} });
  if (!parsed.ok) throw new Error('no settings');
  const clock = new FakeClock();
  const stop = new AbortController();
  const [log, metrics] = [new FakeLog(), createMetrics({ tables: [] })];
  const process = { settings: parsed.settings, clock, random: seededRandom(1), log, metrics } as unknown as Process;
  const opened = new TargetCluster(process, {
    cluster: { namespace: 'herd', name: 'east' },
    connection: server(counts),
    connect(way, until) {
      const api = new Api({ connection: way, clock });
      const probe = async () => {};
      const limits = { unreachableAfterMs: UNREACHABLE_MS, periodMs: 10_000, from: 0 };
      const reach = new Reach({ clock, log, name: 'east', probe, ...limits });
      void reach.run(until);
      return { api, reach };
    },
    most: MOST,
    incarnation: 'here',
    namespace: '',
    silenceChanged: () => {},
    signal: stop.signal,
  });
  const clusters = new Cache<Cluster>();
  clusters.reset([{ metadata: { name: 'east', namespace: 'herd', ...metadata } } as Cluster], '1');
  const targets = new TargetPool({ clusters, clock });
  targets.add('herd/east', opened);
  const limits = () => ({ now: clock.now(), unreachableAfterMs: UNREACHABLE_MS });
  const isShut = () =>
    gateOf({ control: { backSince: 0 }, target: opened.target.reach.fact() }, limits()).shut !== undefined;
  return { clock, opened, targets, isShut, end: () => stop.abort(new Error('enough')) };
}

const pass = async (clock: FakeClock, seconds: number) => {
  for (let left = seconds; left > 0; left--) await clock.advance(1_000);
};

test('too many Nodes: nothing is known of the target, and the gate is shut until they are fewer', async () => {
  const counts = { nodes: 2 };
  const { clock, opened, targets, isShut, end } = scene(counts);
  await pass(clock, 5);
  expect([targets.of(machine).at, isShut()]).toEqual(['open', false]);
  counts.nodes = 4;
  opened.target.nodes.renew();
  await pass(clock, 2);
  expect(targets.of(machine)).toMatchObject({ at: 'opening', why: expect.stringContaining('too many Nodes') });
  expect(opened.outgrown).toEqual({ what: 'Nodes', why: expect.stringContaining('more than 3 objects') });
  await pass(clock, 60);
  expect(isShut()).toBe(true);
  counts.nodes = 3;
  await pass(clock, 90);
  expect([targets.of(machine).at, opened.outgrown, isShut()]).toEqual(['open', undefined, false]);
  end();
});

test('too many Pods: they are not known, and all else goes on', async () => {
  const counts = { pods: 2 };
  const { clock, opened, targets, isShut, end } = scene(counts);
  await pass(clock, 5);
  expect(opened.target.pods.synced).toBe(true);
  counts.pods = 4;
  opened.target.pods.renew();
  await pass(clock, 400);
  expect([opened.target.pods.synced, opened.outgrown?.what]).toEqual([false, 'Pods']);
  expect([targets.of(machine).at, isShut()]).toEqual(['open', false]);
  end();
});

test('Nodes that were never listed of a Cluster that is being deleted and answers: its machines wait, and are told why', async () => {
  const counts = { nodes: REFUSED };
  const { clock, opened, targets, end } = scene(counts, { deletionTimestamp: '2026-01-01T00:00:00Z' });
  const told: unknown[] = [];
  opened.target.nodes.sync.onChange(() => void told.push(opened.unlisted?.status));
  await pass(clock, 300);
  expect(targets.of(machine)).toMatchObject({ at: 'opening', why: expect.stringContaining('403 Forbidden') });
  counts.nodes = 2;
  await pass(clock, 60);
  expect([targets.of(machine).at, told]).toEqual(['open', [403, undefined]]);
  end();
});
