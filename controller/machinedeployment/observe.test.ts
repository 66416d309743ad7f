import { expect, test } from 'bun:test';
import { at, machine, machineClass, machineDeployment, machineSet, node } from '../../test/fixtures/objects.ts';
import type { Driver } from '../drivers/sdk/driver.ts';
import { oneTarget } from '../model/target.fixture.ts';
import type { Target } from '../model/target.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import type { Node } from '../runtime/k8s/core.ts';
import { FakeLog } from '../runtime/observability/log.fake.ts';
import { Cache } from '../runtime/watch/cache.ts';
import { openGates } from '../safety/outage/gates.fixture.ts';
import { makeCaches } from '../state/caches.ts';
import { RefusedNodes } from './flow/rolloutnodes.ts';
import { observe } from './observe.ts';

const VM = 'aws:///eu-west-1/i-1';
const ownedBy = (kind: string, uid: string) => [{ apiVersion: 'v1', kind, name: uid, uid, controller: true }] as never;
const recorded = (name: string) => ({
  'machine.sapcloud.io/machine': name,
  'machine.sapcloud.io/cluster-namespace': 'herd',
});

/** How AWS's Nodes write it: with the zone in place of the region. */
const AWS_NODE = 'aws:///eu-west-1a/i-1';
const driver = {};
const judging = { isSameVm: (one: string, other: string) => one.startsWith('aws:') && other.startsWith('aws:') };

/** What MCM's machine controller writes on its Nodes. */
const NAMED = { 'node.gardener.cloud/machine-name': 'm' };
const CONTROL_PLANE = { ...NAMED, 'node-role.kubernetes.io/control-plane': '' };
const OTHERS = { 'node.gardener.cloud/machine-name': 'x' };
const UNNAMED = { 'node.gardener.cloud/machine-name': undefined };

/** What matters to none of them. */
const PLAIN = { gates: openGates, clusters: new Map(), disablesScaleDown: true, births: { count: () => 0 } };

/** Another machine, of another namespace. */
const rivalOf = ({ at, providerID, rivalNode }: { at: number; providerID: string; rivalNode: string | undefined }) =>
  machine({
    metadata: {
      name: `r${at}`,
      uid: `uid-r${at}`,
      namespace: 'other',
      ...(rivalNode !== undefined && { labels: { node: rivalNode } }),
    },
    spec: { class: { name: 'small' }, providerID },
  });

/** Whether its Node is seen as its own and marked, or let alone, of one machine that MCM's machine controller made. */
function its({
  drivers = {} as Record<string, Pick<Driver, 'isSameVm'>>,
  rivals = [] as string[],
  rivalNode = undefined as string | undefined,
  nodeId = VM,
  labels: nodeLabels = NAMED as object,
  record = undefined as string | undefined,
}): 'marked' | 'let alone' | 'unseen' {
  const caches = makeCaches(new FakeLog());
  const nodes = new Cache<Node>();
  for (const cache of [caches.deployments, caches.sets, caches.machines, caches.classes]) cache.reset([], '0');
  const { metadata, ...bare } = node({
    metadata: { name: 'n', uid: 'uid-n', labels: nodeLabels },
    spec: { providerID: nodeId },
  });
  nodes.reset([{ ...bare, metadata: { ...metadata, annotations: record === undefined ? {} : recorded(record) } }], '0');
  caches.deployments.put(machineDeployment({ metadata: { uid: 'uid-pool' } }));
  caches.classes.put(machineClass({ provider: 'AWS' }));
  const labels = machineDeployment().spec?.selector?.matchLabels ?? {};
  caches.sets.put(
    machineSet({ metadata: { uid: 'uid-s', labels, ownerReferences: ownedBy('MachineDeployment', 'uid-pool') } }),
  );
  const spec = { class: { name: 'small' }, providerID: VM };
  const ownerReferences = ownedBy('MachineSet', 'uid-s');
  caches.machines.put(machine({ metadata: { labels: { ...labels, node: 'n' }, ownerReferences }, spec }));
  for (const [at, providerID] of rivals.entries()) caches.machines.put(rivalOf({ at, providerID, rivalNode }));
  const targets = oneTarget({ nodes } as Target);
  const refusedNodes = new RefusedNodes();
  const rest = { ...PLAIN, targets, refusedNodes };
  const served = new Map(Object.entries(drivers));
  const sources = { ...caches, ...rest, clock: new FakeClock(0), drivers: served };
  const seen = observe(sources, 'herd/pool', { refused: new Set() });
  if (!seen?.nodes?.has('uid-m')) return 'unseen';
  return seen.refusedNodes.has('uid-n') ? 'let alone' : 'marked';
}

/** hack/decisions/0028: in-place rollouts hung, and others shielded nothing, beside MCM's machine controller. */
test.each([
  ['of a class that no driver here serves is marked without a record', {}, 'marked'],
  ['is marked with it', { record: 'm' }, 'marked'],
  ['of our class needs it', { drivers: { AWS: driver } }, 'let alone'],
  ['of our class has it', { drivers: { AWS: driver }, record: 'm' }, 'marked'],
  ['that is recorded for another is let alone', { record: 'x' }, 'let alone'],
  ['whose VM two machines name is let alone', { rivals: [VM] }, 'let alone'],
  ['whose name another VM has elsewhere is marked', { rivals: ['aws:///us-east-1/i-1'] }, 'marked'],
  ['of a control plane is let alone', { labels: CONTROL_PLANE }, 'let alone'],
  // hack/decisions/0028 T22
  ['that no machine controller has named is let alone', { labels: UNNAMED }, 'let alone'],
  ['that one has named for another machine is let alone', { labels: OTHERS }, 'let alone'],
] as const)('a Node %s', (_what, facts, expected) => expect(its(facts as object)).toBe(expected));

/** hack/decisions/0051 U26: where no cloud provider gives Nodes ids, rollouts marked none beside MCM's machine controller. */
test.each([
  ['that its machine controller has named is marked', {}, 'marked'],
  ['of one of two machines of this name elsewhere is marked', { rivals: ['x'], rivalNode: 'other' }, 'marked'],
  ['that two machines call theirs is not seen', { rivals: ['x'], rivalNode: 'n' }, 'unseen'],
  ['whose VM two machines name is let alone', { rivals: [VM] }, 'let alone'],
  ['that is recorded for another is let alone', { record: 'x' }, 'let alone'],
  ['of a control plane is not seen', { labels: CONTROL_PLANE }, 'unseen'],
  ['that no machine controller has named is not seen', { labels: UNNAMED }, 'unseen'],
  ['that one has named for another machine is not seen', { labels: OTHERS }, 'unseen'],
  ['of our class is not seen', { drivers: { AWS: driver } }, 'unseen'],
] as const)('a Node without an id %s', (_what, facts, expected) =>
  expect(its({ nodeId: '', ...(facts as object) })).toBe(expected),
);

/** hack/decisions/0028 M19: rollouts saw no Nodes where these write another id than their machines, as on AWS. */
test.each([
  ['of a class that no driver here serves is marked', {}, 'marked'],
  ['is marked with a record', { record: 'm' }, 'marked'],
  ['that is recorded for another is let alone', { record: 'x' }, 'let alone'],
  ['is let alone if another machine names a VM that ends alike', { rivals: ['aws:///us-east-1/i-1'] }, 'let alone'],
  ["is let alone if another machine has the Node's very words", { rivals: [AWS_NODE] }, 'let alone'],
  ['of a control plane is not seen', { labels: CONTROL_PLANE }, 'unseen'],
  ['that no machine controller has named is not seen', { labels: UNNAMED }, 'unseen'],
  ['that ends otherwise is not seen', { nodeId: 'aws:///eu-west-1a/i-2' }, 'unseen'],
  ['of our class needs a record, if its driver says that both are one VM', { drivers: { AWS: judging } }, 'let alone'],
  ['of our class is marked with it', { drivers: { AWS: judging }, record: 'm' }, 'marked'],
  ['of our class is marked with it, whatever its driver says', { drivers: { AWS: driver }, record: 'm' }, 'marked'],
  ['of our class is not seen else', { drivers: { AWS: driver } }, 'unseen'],
] as const)('a Node that writes its id in other words %s', (_what, facts, expected) =>
  expect(its({ nodeId: AWS_NODE, ...(facts as object) })).toBe(expected),
);

test('the sets of a deployment are seen from the oldest to the newest, however the cache has them', () => {
  const caches = makeCaches(new FakeLog());
  caches.deployments.put(machineDeployment({ metadata: { uid: 'uid-pool' } }));
  const owner = { labels: { pool: 'a' }, ownerReferences: ownedBy('MachineDeployment', 'uid-pool') };
  for (const seconds of [20, 0, 10]) {
    const name = `made-at-${seconds}`;
    caches.sets.put(machineSet({ metadata: { name, uid: name, creationTimestamp: at(seconds), ...owner } }));
  }
  const rest = { ...PLAIN, targets: oneTarget(undefined), refusedNodes: new RefusedNodes(), drivers: new Map() };
  const seen = observe({ ...caches, ...rest, clock: new FakeClock(0) }, 'herd/pool', { refused: new Set() });
  expect(seen?.sets.map(({ set }) => set.metadata.name)).toEqual(['made-at-0', 'made-at-10', 'made-at-20']);
});

/** hack/decisions/0051 S36: neither the room of a rollout, nor what a Recreate waits for, nor progress counts such machines. */
test('of the machines of a deployment those are seen that may hold a VM, or have yet to leave', () => {
  const caches = makeCaches(new FakeLog());
  caches.deployments.put(machineDeployment({ metadata: { uid: 'uid-pool' } }));
  const ofPool = { labels: { pool: 'a' }, ownerReferences: ownedBy('MachineDeployment', 'uid-pool') };
  caches.sets.put(machineSet({ metadata: { name: 's', uid: 'uid-s', ...ofPool } }));
  const ownerReferences = ownedBy('MachineSet', 'uid-s');
  const going = { deletionTimestamp: at(1), ownerReferences };
  const keeper = 'example.com/audit';
  caches.machines.put(machine({ metadata: { name: 'up', uid: 'up', ownerReferences } }));
  caches.machines.put(machine({ metadata: { name: 'leaving', uid: 'leaving', ...going } }));
  caches.machines.put(machine({ metadata: { name: 'kept', uid: 'kept', finalizers: [keeper], ...going } }));
  const rest = { ...PLAIN, targets: oneTarget(undefined), refusedNodes: new RefusedNodes(), drivers: new Map() };
  const seen = observe({ ...caches, ...rest, clock: new FakeClock(0) }, 'herd/pool', { refused: new Set() });
  expect(seen?.sets.flatMap(({ machines }) => machines.map(({ metadata }) => metadata.name)).sort()).toEqual([
    'leaving',
    'up',
  ]);
});
