import { expect, test } from 'bun:test';
import { controllerProgram } from '../../schemas/config/controller.ts';
import { parseSettings } from '../../schemas/config.ts';
import { Api } from '../runtime/client/api.ts';
import { type Connection, noCredentials } from '../runtime/client/connection.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import { Reach } from '../runtime/health/probe.ts';
import { FakeLog } from '../runtime/observability/log.fake.ts';
import { createMetrics } from '../runtime/observability/metrics.ts';
import { seededRandom } from '../runtime/random.ts';
import type { Process } from '../state/deps.ts';
import { TargetCluster } from './cluster.ts';

const turns = async () => {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
};

/** A connection that counts the requests that are open; watches stay open until they are aborted. */
function counting(): { connection: Connection; open: Set<string> } {
  const open = new Set<string>();
  const send: Connection['send'] = (url, { signal }) => {
    if (!url.includes('watch=true'))
      return Promise.resolve(Response.json({ metadata: { resourceVersion: '1' }, items: [] }));
    open.add(url);
    return new Promise((_, reject) =>
      signal?.addEventListener('abort', () => {
        open.delete(url);
        reject(signal.reason);
      }),
    );
  };
  return { connection: { server: 'http://there', credentials: noCredentials, send }, open };
}

function opened(connection: Connection, signal: AbortSignal) {
  const parsed = parseSettings(controllerProgram, { args: [], env: {} });
  if (!parsed.ok) throw new Error('no settings');
  const clock = new FakeClock();
  const [log, metrics] = [new FakeLog(), createMetrics({ tables: [] })];
  const process = { settings: parsed.settings, clock, random: seededRandom(1), log, metrics } as unknown as Process;
  const target = new TargetCluster(process, {
    cluster: { namespace: 'herd', name: 'east' },
    connection,
    connect(way, until) {
      const api = new Api({ connection: way, clock });
      const probe = async () => {};
      const reach = new Reach({
        clock,
        log,
        name: 'east',
        probe,
        unreachableAfterMs: 30_000,
        periodMs: 60_000,
        from: 0,
      });
      void reach.run(until);
      return { api, reach };
    },
    incarnation: 'here',
    namespace: '',
    silenceChanged: () => {},
    signal,
  });
  return { target, clock };
}

test('a target has five watches, keeps what it knows when its connection is exchanged, and leaves nothing behind', async () => {
  const term = new AbortController();
  const [first, second] = [counting(), counting()];
  const { target, clock } = opened(first.connection, term.signal);
  await turns();
  expect(target.known).toBe(false);
  await clock.advance(20);
  expect(target.known).toBe(true);
  expect(first.open.size).toBe(5);
  const { nodes } = target.target;
  target.exchange(second.connection);
  await turns();
  expect([first.open.size, second.open.size]).toEqual([0, 5]);
  expect(target.target.nodes).toBe(nodes);
  expect(target.known).toBe(true);
  target.close();
  await turns();
  expect(second.open.size).toBe(0);
  expect(target.signal.aborted).toBe(true);
  await clock.advance(600_000);
  expect(clock.pending).toBe(0);
});

test('a target ends with the term of leadership', async () => {
  const term = new AbortController();
  const { connection, open } = counting();
  opened(connection, term.signal);
  await turns();
  expect(open.size).toBe(5);
  term.abort(new Error('the lease is lost'));
  await turns();
  expect(open.size).toBe(0);
});
