import { describe, expect, test } from 'bun:test';
import { node } from '../../../test/fixtures/objects.ts';
import { byDeletion } from '../../nodes/owner.ts';
import type { Node } from '../../runtime/k8s/core.ts';
import { Turns } from './vmdeletion.ts';
import { bench, MINUTE } from './vmsweep.fixture.ts';

// hack/decisions/0028 T59: notes on Nodes are as many as whoever runs a target likes.

const MOST = 10;

/** A Node that nobody may delete: it is Ready, and nobody reads its Lease. */
const madeUp = (at: number): Node =>
  node({
    metadata: { name: `n${at}`, uid: `u${at}`, annotations: { 'drover.dev/orphan-deletion': 'small' } },
    spec: { providerID: `virtual:///none-${at}` },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  } as never);

/** A sweeper beside a cluster of so many such Nodes; what is asked of the control API server and of the driver is counted. */
function stage(count: number) {
  const asked = { lists: 0, everywhere: 0, inFlight: 0, ids: [] as string[] };
  const list = async (_: unknown, { namespace }: { namespace?: string }) => {
    asked.lists += 1;
    if (!namespace) asked.everywhere += 1;
    return { items: [] };
  };
  const there = bench({ api: { list } as never });
  const { world, nodes } = there;
  world.vms = [];
  nodes.reset(
    Array.from({ length: count }, (_, at) => madeUp(at)),
    '1',
  );
  world.targetApi.get = async () => undefined as never;
  const { status } = world;
  const getMachineStatus = ({ machine }: { machine: { spec: { providerID: string } } }) => {
    asked.ids.push(machine.spec.providerID);
    return status();
  };
  Object.assign(world.driver, { getMachineStatus });
  return { ...there, asked };
}

describe('of VMs of which only Nodes tell', () => {
  test('a sweep asks about as many as it may delete, and for Machines of their namespace alone', async () => {
    const { sweeps, asked } = stage(2_000);
    await sweeps(2);
    expect([asked.ids.length, asked.lists, asked.everywhere]).toEqual([2 * MOST, 2 * MOST, 0]);
  });

  test('each has its turn', async () => {
    const { sweeps, asked } = stage(25);
    await sweeps(3);
    expect(new Set(asked.ids).size).toBe(25);
  });

  test('a sweep asks one after the other, is not over before, and ends at the first question without an answer', async () => {
    const { sweeper, asked, world, clock } = stage(500);
    const getMachineStatus = ({ signal }: { signal: AbortSignal }) => {
      asked.inFlight += 1;
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => {
          asked.inFlight -= 1;
          reject(signal.reason);
        }),
      );
    };
    Object.assign(world.driver, { getMachineStatus });
    let ended = 0;
    void sweeper.sweep('herd/small').then(() => ended++);
    await clock.advance(0);
    expect([asked.lists, asked.inFlight, ended]).toEqual([1, 1, 0]);
    await clock.advance(MINUTE);
    expect([asked.lists, asked.inFlight, ended]).toEqual([1, 0, 1]);
  });
});

test.each<[string, object]>([
  ['a note of two MiB', { annotations: { 'drover.dev/orphan-deletion': 'small'.padEnd(2 << 20, 'x') } }],
  ['a name of two MiB', { name: 'n'.padEnd(2 << 20, 'x') }],
])('%s is not found', (_what, metadata) => {
  const one = madeUp(1);
  expect(byDeletion(one)).toEqual(['herd/small']);
  expect(byDeletion(node({ ...one, metadata: { ...one.metadata, ...metadata } } as never))).toEqual([]);
});

test('an id of two MiB is not found', () => {
  const one = madeUp(1);
  expect(byDeletion({ ...one, spec: { providerID: 'i'.padEnd(2 << 20, 'x') } })).toEqual([]);
});

test('turns begin behind whoever was reached last, and at the beginning if that one has gone', () => {
  const turns = new Turns();
  const options = { most: 2, nameOf: (one: string) => one };
  const next = (...all: string[]) => [...turns.of('l', all, options)];
  expect(next('a', 'b', 'c')).toEqual(['a', 'b']);
  expect(next('a', 'b', 'c')).toEqual(['c', 'a']);
  expect(next('b', 'c')).toEqual(['b', 'c']);
  const [first] = turns.of('l', ['b', 'c', 'd'], options);
  expect(first).toBe('d');
  expect(next('b', 'c', 'd')).toEqual(['b', 'c']);
  turns.forget('l');
  expect(next('b', 'c', 'd')).toEqual(['b', 'c']);
});
