import { expect, test } from 'bun:test';
import { machine, machineDeployment, machineSet } from '../../test/fixtures/objects.ts';
import { Cache } from '../runtime/watch/cache.ts';
import { flowsOf, levelOf } from './fairshares.ts';

const owner = (kind: string, { metadata: { name, uid = '' } }: ReturnType<typeof machineSet>) => [
  { apiVersion: 'machine.sapcloud.io/v1alpha1', kind, name, uid, controller: true },
];

function herd() {
  const caches = {
    machines: new Cache<ReturnType<typeof machine>>(),
    sets: new Cache<ReturnType<typeof machineSet>>(),
    deployments: new Cache<ReturnType<typeof machineDeployment>>(),
  };
  const deployment = machineDeployment({ metadata: { name: 'd', uid: 'uid-d' } });
  const rolled = machineSet({
    metadata: { name: 's', uid: 'uid-s', ownerReferences: owner('MachineDeployment', deployment as never) },
  });
  const plain = machineSet({ metadata: { name: 'plain', uid: 'uid-plain' } });
  caches.deployments.put(deployment);
  for (const set of [rolled, plain]) caches.sets.put(set);
  const add = (name: string, changes: Parameters<typeof machine>[0]) =>
    caches.machines.put(machine({ ...changes, metadata: { ...changes?.metadata, name, uid: `uid-${name}` } }));
  add('rolled', { metadata: { ownerReferences: owner('MachineSet', rolled) } });
  add('kept', { metadata: { ownerReferences: owner('MachineSet', plain) } });
  add('orphan', {
    metadata: { ownerReferences: owner('MachineSet', machineSet({ metadata: { name: 'gone', uid: 'uid-gone' } })) },
  });
  add('alone', { metadata: { labels: { 'cluster.k8s.io/cluster-name': 'west' } } });
  return flowsOf(caches);
}

test.each([
  ['of a deployment goes with it', 'rolled', ['herd', '', 'uid-d']],
  ['of a set goes with the set', 'kept', ['herd', '', 'uid-plain']],
  ['of a set that is gone goes with the others of it', 'orphan', ['herd', '', 'uid-gone']],
  ['of nobody’s goes by itself, among those of its Cluster', 'alone', ['herd', 'west', 'uid-alone']],
  ['that is gone goes by its namespace', 'nobody', ['herd']],
])('a Machine %s', (_what, name, flow) => expect(herd().machine(`herd/${name}`)).toEqual(flow));

test('a set goes with its deployment, and a deployment by itself', () => {
  const flows = herd();
  expect(flows.set('herd/s')).toEqual(['herd', '', 'uid-d']);
  expect(flows.set('herd/plain')).toEqual(['herd', '', 'uid-plain']);
  expect(flows.deployment('herd/d')).toEqual(['herd', '', 'uid-d']);
});

test('between namespaces a deletion ranks with a creation, and below that each priority by itself', () => {
  expect([100, 98, 96, 90].map(levelOf)).toEqual([90, 90, 90, 90]);
  expect([89, 1, -1, -4, -100].map(levelOf)).toEqual([89, 1, -1, -4, -100]);
});
