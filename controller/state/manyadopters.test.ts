import { expect, test } from 'bun:test';
import { machine, machineDeployment, machineSet } from '../../test/fixtures/objects.ts';
import { ownedBy } from '../model/ownership.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import { FakeLog } from '../runtime/observability/log.fake.ts';
import { Queue } from '../runtime/queue/queue.ts';
import { makeCaches } from './caches.ts';
import { Urgency } from './urgency.ts';
import { addEventHandlers } from './watches.ts';

// hack/decisions/0028 T47 and T65

const SETS = 20;
const PARTS = 100;
const keys = Array.from({ length: PARTS }, (_, at) => `k${at}`);
const labelsWith = (last: string) => Object.fromEntries([...keys.map((key) => [key, 'x']), [`k${PARTS - 1}`, last]]);

function connected() {
  const clock = new FakeClock();
  const caches = makeCaches(new FakeLog());
  const [machines, sets, deployments] = [1, 2, 3].map(() => new Queue({ clock })) as [Queue, Queue, Queue];
  addEventHandlers(caches, { machines, sets, deployments, urgency: new Urgency(caches.classes) });
  return { caches, clock, deployments };
}

/** How often labels of a machine of nobody's are read when it comes and when it changes, beside so many sets that select all of them but one. */
function readsBeside(sets: number): [first: number, next: number] {
  const { caches } = connected();
  for (let at = 0; at < sets; at++) {
    const set = machineSet({ metadata: { name: `set-${at}`, uid: `uid-${at}` } });
    caches.sets.put({ ...set, spec: { ...set.spec, selector: { matchLabels: labelsWith('y') } } } as typeof set);
  }
  let reads = 0;
  const put = (resourceVersion: string) => {
    const loose = machine({ metadata: { resourceVersion } });
    loose.metadata.labels = new Proxy(labelsWith('x'), {
      get: (all, key) => {
        reads += 1;
        return Reflect.get(all, key);
      },
    });
    caches.machines.put(loose);
  };
  put('1');
  const first = reads;
  put('2');
  return [first, reads - first];
}

test('a change of a machine of nobody’s is held against each selector once, and there against what failed last', () => {
  expect(readsBeside(SETS)[1] - readsBeside(0)[1]).toBe(SETS);
});

test('beside more selectors than may be judged a machine of nobody’s is held against no more', () => {
  const judged = readsBeside(600)[0] - readsBeside(0)[0];
  expect(judged).toBeGreaterThan(40_000);
  expect(judged).toBeLessThanOrEqual(50_000 + PARTS);
});

test('sets of one deployment call it once, and sets of nobody’s none, for a machine that they could adopt', async () => {
  const { caches, clock, deployments } = connected();
  const labels = machine().metadata.labels;
  const ofPool = { ownerReferences: [ownedBy(machineDeployment(), 'MachineDeployment')] };
  const called: string[] = [];
  const add = deployments.add.bind(deployments);
  for (const name of ['pool', 'other'])
    caches.deployments.put(machineDeployment({ metadata: { name, uid: `uid-${name}` } }));
  for (const name of ['a', 'b'])
    caches.sets.put(machineSet({ metadata: { name, uid: `uid-${name}`, labels, ...ofPool } }));
  caches.sets.put(machineSet({ metadata: { name: 'alone', uid: 'uid-alone', labels } }));
  deployments.add = (key, options) => {
    called.push(key);
    add(key, options);
  };
  caches.machines.put(machine());
  await clock.advance(1_000);
  expect(called).toEqual(['herd/pool']);
});
