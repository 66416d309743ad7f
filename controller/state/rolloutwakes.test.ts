import { expect, test } from 'bun:test';
import type { MachineSet } from '../../schemas/machineset.ts';
import { machine, machineDeployment, machineSet, node } from '../../test/fixtures/objects.ts';
import { ownedBy } from '../model/ownership.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import type { Node } from '../runtime/k8s/core.ts';
import { FakeLog } from '../runtime/observability/log.fake.ts';
import { Queue } from '../runtime/queue/queue.ts';
import { Cache } from '../runtime/watch/cache.ts';
import type { Opened } from '../targets/pool.ts';
import { makeCaches } from './caches.ts';
import { Urgency } from './urgency.ts';
import { addTargetEventHandlers } from './watches.ts';

// hack/decisions/0028 T64

const pool = machineDeployment({ metadata: { name: 'pool', uid: 'uid-pool' } });
const setOf = (name: string, owner?: typeof pool): MachineSet => {
  const ownerReferences = owner && [ownedBy(owner, 'MachineDeployment')];
  const { labels } = machine().metadata;
  return machineSet({ metadata: { name, uid: `uid-${name}`, labels, ...(ownerReferences && { ownerReferences }) } });
};
const machineOn = (name: string, owner?: MachineSet) =>
  machine({
    metadata: {
      name,
      uid: `uid-${name}`,
      labels: { node: 'n' } as Record<string, string>,
      ...(owner && { ownerReferences: [ownedBy(owner, 'MachineSet')] }),
    },
  });
const sayingOf = (name: string, resourceVersion: string) =>
  node({ metadata: { name: 'n', uid: 'n', resourceVersion, labels: { 'node.gardener.cloud/machine-name': name } } });

/** Deployments that are called when a Node says that it is another's, and how often sets and deployments are gone through. */
function calledBy(machines: ReturnType<typeof machineOn>[], sets: MachineSet[]) {
  const clock = new FakeClock();
  const caches = makeCaches(new FakeLog());
  const [one, two, deployments] = [1, 2, 3].map(() => new Queue({ clock })) as [Queue, Queue, Queue];
  const queues = { machines: one, sets: two, deployments, urgency: new Urgency(caches.classes) };
  caches.deployments.reset([pool, machineDeployment({ metadata: { name: 'other', uid: 'uid-other' } })], '1');
  caches.sets.reset(sets, '1');
  caches.machines.reset(machines, '1');
  const [called, searched]: [string[], string[]] = [[], []];
  deployments.add = (key) => void called.push(key);
  for (const cache of [caches.sets, caches.deployments] as Cache<MachineSet>[]) {
    const by = cache.by.bind(cache);
    cache.by = (index, value) => {
      if (index === 'namespace') searched.push(index);
      return by(index, value);
    };
  }
  const nodes = new Cache<Node>();
  const target = { nodes, reach: { onChange: () => {} }, cluster: undefined };
  addTargetEventHandlers(
    { target, cluster: '', whenKnown: () => new Promise(() => {}) } as unknown as Opened,
    caches,
    queues,
  );
  nodes.reset([], '1');
  for (const [at, name] of ['x', 'y'].entries()) {
    called.length = 0;
    nodes.put(sayingOf(name, `${at}`));
  }
  return { called, searched };
}

test('a Node that becomes another’s calls the deployment of its machine once', () => {
  const [a, b] = [setOf('a', pool), setOf('b', pool)];
  const { called } = calledBy([machineOn('x', a), machineOn('y', b), machineOn('z', a)], [a, b]);
  expect(called).toEqual(['herd/pool']);
});

test('and nobody for machines of nobody’s, nor for sets of nobody’s, whoever could adopt them', () => {
  const loose = setOf('loose');
  const sets = [loose, setOf('a', pool)];
  expect(calledBy([machineOn('x'), machineOn('y'), machineOn('z', loose)], sets)).toEqual({ called: [], searched: [] });
});
