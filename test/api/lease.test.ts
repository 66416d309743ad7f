import { afterEach, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Api } from '../../controller/runtime/client/api.ts';
import type { Connection } from '../../controller/runtime/client/connection.ts';
import { systemClock } from '../../controller/runtime/clock.ts';
import { leases } from '../../controller/runtime/k8s/core.ts';
import { until } from '../../hack/lib/until.ts';
import { type Cluster, controlPlane } from './support/controlplane.ts';
import type { CandidateArguments } from './support/leasecandidate.ts';
import { openWay } from './support/proxy.ts';
import { faults } from './support/proxyfaults.ts';

const TIMES = { durationMs: 3_000, renewMs: 2_000, retryMs: 400 };
/** A candidate may have seen the last renewal a try late, and starts its own try a moment late. */
const LATE_MS = 1_500;
const START = { timeoutMs: 60_000 };

const ends: Array<() => void> = [];
let cluster: Cluster;

beforeAll(async () => {
  cluster = await controlPlane();
}, 180_000);

afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** An election of its own. Each candidate is a process; what they print is kept together, in the order of arrival. */
async function election() {
  const namespace = await cluster.namespace('lease');
  const said: string[] = [];
  const candidate = (identity: string, connection: Connection = cluster.admin) => {
    const { server, tls } = connection;
    const args: CandidateArguments = {
      connection: { server, ...(tls && { tls }) },
      namespace,
      name: 'l',
      identity,
      ...TIMES,
    };
    const program = join(import.meta.dir, 'support/leasecandidate.ts');
    const child = Bun.spawn([process.execPath, program, JSON.stringify(args)], { stdout: 'pipe', stderr: 'ignore' });
    ends.push(() => child.kill('SIGKILL'));
    void collect(identity, child.stdout, said);
    return child;
  };
  const hears = (words: string, timeoutMs: number) => until(words, () => said.includes(words), { timeoutMs });
  const api = new Api({ connection: cluster.admin, clock: systemClock });
  const spec = async () => (await api.get(leases, { namespace, name: 'l' })).spec;
  return { candidate, said, hears, spec };
}

async function collect(identity: string, output: ReadableStream<Uint8Array>, said: string[]): Promise<void> {
  const decoder = new TextDecoder();
  for await (const bytes of output) {
    const words = decoder.decode(bytes, { stream: true }).trim().split('\n');
    said.push(...words.map((word) => `${identity} ${word}`));
  }
}

test('when the leader is killed the other leads within the lease duration', async () => {
  const { candidate, said, hears, spec } = await election();
  const a = candidate('a');
  await hears('a leads', START.timeoutMs);
  candidate('b');
  await Bun.sleep(TIMES.durationMs + TIMES.retryMs);
  expect(said).toEqual(['a leads']);
  a.kill('SIGKILL');
  await hears('b leads', TIMES.durationMs + LATE_MS);
  expect(await spec()).toMatchObject({ holderIdentity: 'b', leaseDurationSeconds: 3, leaseTransitions: 1 });
}, 180_000);

test('a partitioned leader ends itself before another leads', async () => {
  const { candidate, said, hears } = await election();
  const way = await openWay(cluster.admin);
  ends.push(way.close);
  candidate('a', way.connection);
  await hears('a leads', START.timeoutMs);
  candidate('b');
  await Bun.sleep(TIMES.durationMs);
  expect(said).toEqual(['a leads']);
  way.set(faults.silent);
  await hears('a ends', TIMES.renewMs + LATE_MS);
  expect(said).toEqual(['a leads', 'a ends']);
  await hears('b leads', TIMES.durationMs);
}, 180_000);

test('a leader that is asked to stop hands over without waiting for its lease to run out', async () => {
  const { candidate, said, hears, spec } = await election();
  const a = candidate('a');
  await hears('a leads', START.timeoutMs);
  candidate('b');
  await Bun.sleep(2 * TIMES.retryMs);
  a.kill('SIGTERM');
  await hears('b leads', START.timeoutMs);
  expect(said).toEqual(['a leads', 'a ends', 'b leads']);
  expect((await spec())?.leaseTransitions).toBe(1);
  expect(await a.exited).toBe(0);
}, 180_000);
