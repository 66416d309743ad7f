import { expect, test } from 'bun:test';
import { BORN, node } from '../../../test/fixtures/objects.ts';
import { Cache } from '../../runtime/cache.ts';
import { FakeClock } from '../../runtime/clock.fake.ts';
import type { Node } from '../../runtime/core.ts';
import { ApiError } from '../../runtime/errors.ts';
import { FakeLog } from '../../runtime/log.fake.ts';
import { openGates } from '../gates.fixture.ts';
import { type NodeSweepParts, sweepNodes } from './nodesweep.ts';

test('a Node that somebody just changed keeps no other of its cluster from being marked (hack/decisions/0051 S19d)', async () => {
  const nodes = new Cache<Node>();
  for (const name of ['a', 'b', 'c']) nodes.put(node({ metadata: { name, uid: `uid-${name}` } }));
  const marked: string[] = [];
  const patch = async (_: unknown, { name }: { name: string }) => {
    if (name === 'a') throw new ApiError('patch nodes a', { status: 409, reason: 'Conflict' });
    marked.push(name);
    return node({ metadata: { name } });
  };
  const log = new FakeLog();
  await sweepNodes({
    machines: new Cache(),
    targets: () => [{ api: { patch }, nodes, cluster: '' }],
    gates: openGates,
    isCreating: () => false,
    clock: new FakeClock(BORN + 3_600_000),
    log,
    namespace: '',
    creationMs: 1_200_000,
  } as unknown as NodeSweepParts);
  expect(marked).toEqual(['b', 'c']);
  expect(log.lines.map(({ message }) => message)).toEqual(['Nodes without a Machine were not marked']);
});
