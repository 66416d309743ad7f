import { expect, test } from 'bun:test';
import { machine, machineClass, machineDeployment, machineSet, node } from '../../test/fixtures/objects.ts';
import { makeCaches } from '../caches.ts';
import { Cache } from '../runtime/cache.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import type { Node } from '../runtime/core.ts';
import { FakeLog } from '../runtime/log.fake.ts';
import { openGates } from '../safety/gates.fixture.ts';
import { oneTarget } from '../targets.fixture.ts';
import type { Target } from '../targets.ts';
import { observe } from './observe.ts';
import { RefusedNodes } from './refusednodes.ts';

const VM = 'aws:///eu-west-1/i-1';
const ownedBy = (kind: string, uid: string) => [{ apiVersion: 'v1', kind, name: uid, uid, controller: true }] as never;
const recorded = (name: string) => ({
  'machine.sapcloud.io/machine': name,
  'machine.sapcloud.io/cluster-namespace': 'herd',
});

/** The UIDs of Nodes that are let alone, of one machine that MCM's machine controller made. */
function letAlone({
  drivers = [] as string[],
  rivals = [] as string[],
  labels: nodeLabels = {} as object,
  record = undefined as string | undefined,
}): string[] {
  const caches = makeCaches(new FakeLog());
  const nodes = new Cache<Node>();
  for (const cache of [caches.deployments, caches.sets, caches.machines, caches.classes]) cache.reset([], '0');
  const { metadata, ...bare } = node({
    metadata: { name: 'n', uid: 'uid-n', labels: nodeLabels },
    spec: { providerID: VM },
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
  for (const name of rivals)
    caches.machines.put(machine({ metadata: { name, uid: `uid-${name}`, namespace: 'other' }, spec }));
  const targets = oneTarget({ nodes } as Target);
  const refusedNodes = new RefusedNodes();
  const rest = { gates: openGates, clusters: new Map(), targets, refusedNodes, shieldsNodes: true };
  const seen = observe({ ...caches, ...rest, clock: new FakeClock(0), drivers: new Set(drivers) }, 'herd/pool');
  expect(seen?.nodes?.size).toBe(1);
  return [...(seen?.refusedNodes ?? [])];
}

/** hack/decisions/0028: in-place rollouts hung, and others shielded nothing, beside MCM's machine controller. */
test.each([
  ['of a class that no driver here serves is marked without a record', {}, []],
  ['is marked with it', { record: 'm' }, []],
  ['of our class needs it', { drivers: ['AWS'] }, ['uid-n']],
  ['of our class has it', { drivers: ['AWS'], record: 'm' }, []],
  ['that is recorded for another is let alone', { record: 'x' }, ['uid-n']],
  ['whose VM two machines name is let alone', { rivals: ['thief'] }, ['uid-n']],
  ['of a control plane is let alone', { labels: { 'node-role.kubernetes.io/control-plane': '' } }, ['uid-n']],
])('a Node %s', (_what, facts, expected) => expect(letAlone(facts)).toEqual(expected));
