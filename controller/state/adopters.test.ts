import { expect, test } from 'bun:test';
import { machine, machineSet } from '../../test/fixtures/objects.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import { FakeLog } from '../runtime/observability/log.fake.ts';
import { Queue } from '../runtime/queue/queue.ts';
import { makeCaches } from './caches.ts';
import { Urgency } from './urgency.ts';
import { addEventHandlers } from './watches.ts';

// hack/decisions/0028 T4

test('a machine of nobody’s is held against the selectors of its own namespace alone, each read once', () => {
  const clock = new FakeClock();
  const caches = makeCaches(new FakeLog());
  const [machines, sets, deployments] = [1, 2, 3].map(() => new Queue({ clock })) as [Queue, Queue, Queue];
  addEventHandlers(caches, { machines, sets, deployments, urgency: new Urgency(caches.classes) });
  const reads: string[] = [];
  for (const namespace of ['herd', 'flock']) {
    const set = machineSet({ metadata: { name: 'set', namespace } });
    const key = Object.keys(set.spec?.selector?.matchLabels ?? {})[0] ?? '';
    const requirement = {
      key,
      operator: 'Exists' as const,
      get values() {
        reads.push(namespace);
        return [];
      },
    };
    caches.sets.put({ ...set, spec: { ...set.spec, selector: { matchExpressions: [requirement] } } } as typeof set);
  }
  const labels = { pool: 'a' };
  for (const name of ['a', 'b', 'c']) caches.machines.put(machine({ metadata: { name, namespace: 'herd', labels } }));
  expect(new Set(reads)).toEqual(new Set(['herd']));
  expect(reads.length).toBeLessThan(5);
});
