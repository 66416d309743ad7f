import { expect, test } from 'bun:test';
import type { Machine } from '../../schemas/machine.ts';
import { at, inPhase, machineDeployment, machineSet } from '../../test/fixtures/objects.ts';
import { ownedBy } from '../model/ownership.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import { FakeLog } from '../runtime/observability/log.fake.ts';
import { Queue } from '../runtime/queue/queue.ts';
import { type Caches, makeCaches } from './caches.ts';
import { Urgency } from './urgency.ts';
import { addEventHandlers } from './watches.ts';

// hack/decisions/0051 S5, S21

const ofPool = { ownerReferences: [ownedBy(machineDeployment(), 'MachineDeployment')] };
const setOf = (name: string, replicas: number) =>
  machineSet({ metadata: { name, uid: `uid-${name}`, ...ofPool }, spec: { replicas } });
const old = setOf('old', 2);
const smaller = { ...setOf('old', 1), metadata: { ...old.metadata, resourceVersion: '2' } };
const machine = inPhase('Running', 0, { metadata: { ownerReferences: [ownedBy(old, 'MachineSet')] } });
const leaving: Machine = {
  ...machine,
  metadata: { ...machine.metadata, deletionTimestamp: at(1), resourceVersion: '2' },
};

const onlyKept: Machine = {
  ...leaving,
  metadata: { ...leaving.metadata, finalizers: ['example.com/audit'], resourceVersion: '3' },
};
const released: Machine = {
  ...leaving,
  metadata: { ...leaving.metadata, ownerReferences: [], labels: { quarantine: 'yes' }, resourceVersion: '3' },
};
const unowned = inPhase('Running', 0, { metadata: { name: 'unowned', ownerReferences: [] } });
const relabelled: Machine = {
  ...unowned,
  metadata: { ...unowned.metadata, labels: { quarantine: 'yes' }, resourceVersion: '2' },
};

/** The sets that a change enqueues. */
async function enqueued(change: (caches: Caches) => void): Promise<string[]> {
  const clock = new FakeClock();
  const caches = makeCaches(new FakeLog());
  for (const set of [old, setOf('young', 3), setOf('empty', 0)]) caches.sets.put(set);
  for (const one of [machine, unowned]) caches.machines.put(one);
  const [machines, sets, deployments] = [1, 2, 3].map(() => new Queue({ clock })) as [Queue, Queue, Queue];
  addEventHandlers(caches, { machines, sets, deployments, urgency: new Urgency(caches.classes) });
  change(caches);
  await clock.advance(1_000);
  const keys = Array.from({ length: sets.size }, async () => (await sets.get())?.key ?? '');
  return (await Promise.all(keys)).sort();
}

test.each<[string, (caches: Caches) => void, string[]]>([
  ['one of its machines has gone', ({ machines }) => machines.drop(machine), ['herd/old', 'herd/young']],
  ['one of its machines begins to leave', ({ machines }) => machines.put(leaving), ['herd/old']],
  // hack/decisions/0051 S36
  [
    'a finalizer of somebody else alone keeps one of its machines',
    ({ machines }) => machines.put(onlyKept),
    ['herd/old', 'herd/young'],
  ],
  ['one of its machines was let go', ({ machines }) => machines.put(released), ['herd/old', 'herd/young']],
  [
    'one that it was to adopt is no longer selected',
    ({ machines }) => machines.put(relabelled),
    ['herd/empty', 'herd/old', 'herd/young'],
  ],
  [
    'one that it was to adopt has gone',
    ({ machines }) => machines.drop(unowned),
    ['herd/empty', 'herd/old', 'herd/young'],
  ],
  ['it is to have less', ({ sets }) => sets.put(smaller), ['herd/old', 'herd/young']],
  ['it has gone', ({ sets }) => sets.drop(old), ['herd/old', 'herd/young']],
])('sets that share a limit with another look when they may make more: %s', async (_, change, keys) => {
  expect(await enqueued(change)).toEqual(keys);
});
