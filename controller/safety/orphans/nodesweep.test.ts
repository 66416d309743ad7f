import { expect, test } from 'bun:test';
import { BORN, node } from '../../../test/fixtures/objects.ts';
import { ApiError } from '../../runtime/client/errors.ts';
import { FakeClock } from '../../runtime/clock.fake.ts';
import type { Node } from '../../runtime/k8s/core.ts';
import { refOf } from '../../runtime/k8s/object.ts';
import { FakeLog } from '../../runtime/observability/log.fake.ts';
import { Cache } from '../../runtime/watch/cache.ts';
import { openGates } from '../outage/gates.fixture.ts';
import { type NodeSweepParts, sweepNodes } from './nodesweep.ts';

type Patch = (name: string) => Promise<void>;

/** Sweeps one of these clusters, whose Nodes no Machine has. */
function sweeping(clusters: Readonly<Record<string, { names: readonly string[]; patch: Patch }>>) {
  const log = new FakeLog();
  const targets = Object.entries(clusters).map(([cluster, { names, patch }]) => {
    const nodes = new Cache<Node>();
    for (const name of names) nodes.put(node({ metadata: { name, uid: `uid-${name}` } }));
    const patched = async (_: unknown, { name }: { name: string }) => {
      await patch(name);
      return node({ metadata: { name } });
    };
    return { api: { patch: patched }, nodes, cluster: cluster === '' ? undefined : refOf(cluster) };
  });
  const clock = new FakeClock(BORN + 3_600_000);
  const beside = { gates: openGates, isCreating: () => false, namespace: '', creationMs: 1_200_000 };
  const parts = { ...beside, machines: new Cache(), targets: () => targets, clock, log } as unknown as NodeSweepParts;
  return { log, sweep: (cluster: string) => sweepNodes(parts, cluster) };
}

test('a Node that somebody just changed keeps no other of its cluster from being marked (hack/decisions/0051 S19d)', async () => {
  const marked: string[] = [];
  const patch = async (name: string) => {
    if (name === 'a') throw new ApiError('patch nodes a', { status: 409, reason: 'Conflict' });
    marked.push(name);
  };
  const { log, sweep } = sweeping({ '': { names: ['a', 'b', 'c'], patch } });
  await sweep('');
  expect(marked).toEqual(['b', 'c']);
  expect(log.lines.map(({ message }) => message)).toEqual(['Nodes without a Machine were not marked']);
});

test('a cluster that never answers holds up no other (hack/decisions/0028 T27)', async () => {
  const marked: string[] = [];
  const { sweep } = sweeping({
    'tenant/slow': { names: ['s'], patch: () => new Promise(() => {}) },
    '': { names: ['a'], patch: async (name) => void marked.push(name) },
  });
  void sweep('tenant/slow');
  await sweep('');
  expect(marked).toEqual(['a']);
});

test('of a cluster with very many such Nodes some are marked in each sweep (hack/decisions/0028 T27)', async () => {
  let count = 0;
  const names = Array.from({ length: 1_500 }, (_, at) => `n${at}`);
  const patch = async () => {
    count += 1;
  };
  const { sweep } = sweeping({ 'tenant/large': { names, patch } });
  await sweep('tenant/large');
  expect(count).toBe(1_000);
});

test('a cluster that is followed no more has no Nodes', async () => {
  await sweeping({}).sweep('tenant/gone');
});
