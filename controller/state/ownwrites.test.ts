import { expect, test } from 'bun:test';
import { at, machineDeployment, machineSet } from '../../test/fixtures/objects.ts';
import { ownedBy } from '../model/ownership.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import { FakeLog } from '../runtime/observability/log.fake.ts';
import { Queue } from '../runtime/queue/queue.ts';
import { type Caches, makeCaches } from './caches.ts';
import { Urgency } from './urgency.ts';
import { addEventHandlers } from './watches.ts';

// hack/decisions/0063: a set that has told of one machine would tell of the next at once, and write for each.

const set = machineSet({ metadata: { labels: { pool: 'a' } } });
const pool = machineDeployment();
const next = { resourceVersion: '2' };

/** How long the owner of a change waits before it is looked at, milliseconds. */
async function waits(of: 'sets' | 'deployments', change: (caches: Caches) => void): Promise<number> {
  const clock = new FakeClock();
  const caches = makeCaches(new FakeLog());
  caches.sets.put(set);
  caches.deployments.put(pool);
  const [machines, sets, deployments] = [1, 2, 3].map(() => new Queue({ clock })) as [Queue, Queue, Queue];
  addEventHandlers(caches, { machines, sets, deployments, urgency: new Urgency(caches.classes) });
  const start = clock.monotonic();
  change(caches);
  let looked: number | undefined;
  void { sets, deployments }[of].get().then(() => {
    looked = clock.monotonic() - start;
  });
  for (let ms = 0; looked === undefined && ms < 200; ms += 10) await clock.advance(ms === 0 ? 0 : 10);
  return looked ?? Infinity;
}

const setWith = (metadata: object, rest: object = {}) => ({
  ...set,
  metadata: { ...set.metadata, ...next, ...metadata },
  ...rest,
});

test('an owner that has told how it stands waits for more', async () => {
  expect(await waits('sets', ({ sets }) => sets.put(setWith({}, { status: { replicas: 1 } })))).toBe(50);
  const told = { ...pool, metadata: { ...pool.metadata, ...next }, status: { replicas: 1 } };
  expect(await waits('deployments', ({ deployments }) => deployments.put(told))).toBe(50);
});

test.each<[what: string, change: (caches: Caches) => void]>([
  ['its size', ({ sets }) => sets.put(setWith({}, { spec: { ...set.spec, replicas: 9 } }))],
  ['a label', ({ sets }) => sets.put(setWith({ labels: { pool: 'b' } }))],
  ['a finalizer', ({ sets }) => sets.put(setWith({ finalizers: ['theirs'] }))],
  [
    'an owner',
    ({ sets }) =>
      sets.put(setWith({ ownerReferences: [ownedBy(pool, 'MachineDeployment')] }, { status: { replicas: 1 } })),
  ],
  ['its deletion', ({ sets }) => sets.put(setWith({ deletionTimestamp: at(1) }))],
  ['its end', ({ sets }) => sets.drop(set)],
])('an owner of which anything else has changed does not: %s', async (_what, change) => {
  expect(await waits('sets', change)).toBe(0);
});
