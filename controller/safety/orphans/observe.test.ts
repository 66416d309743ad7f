import { expect, test } from 'bun:test';
import { FROZEN, LABEL_CLUSTER, LABEL_FREEZE } from '../../../schemas/keys.ts';
import { machine, machineClass, machineDeployment, machineSet, node } from '../../../test/fixtures/objects.ts';
import type { KubeObject } from '../../runtime/k8s/object.ts';
import type { Gate } from '../outage/gate.ts';
import { observeSweep } from './observe.ts';
import { bench, LOST } from './vmsweep.fixture.ts';

const shut: Gate = { shut: { unreachable: 'target', since: 5 }, judgesFrom: 7 };

/** What a sweep sees of these objects, of which those of Cluster `far` stand behind a shut gate. */
function seen(objects: { machines?: KubeObject[]; sets?: KubeObject[]; deployments?: KubeObject[] }) {
  const { parts } = bench({
    gates: { of: ({ metadata }) => (metadata.labels?.[LABEL_CLUSTER] === 'far' ? shut : { judgesFrom: 3 }) },
  });
  for (const [name, items = []] of Object.entries(objects)) parts[name as 'machines'].reset(items as never, '1');
  const isLeaving = () => false;
  return observeSweep(parts, { machineClass: machineClass(), vms: [], now: 9, sightings: new Map(), isLeaving });
}

const far = { [LABEL_CLUSTER]: 'far' };
const gateOf = ({ shut: is, judgesFrom }: ReturnType<typeof seen>) => `${is} ${judgesFrom}`;
const open = 'undefined 3';
const closed = 'the API server of the target cluster does not answer 7';

test('the gate of a class is that of each Cluster that its machines are of', () => {
  expect(gateOf(seen({}))).toBe(open);
  expect(gateOf(seen({ sets: [machineSet({ metadata: { labels: far } })] }))).toBe(closed);
});

test('a Cluster that cannot be read yet is as good as away', () => {
  const targetOf = () => ({ at: 'opening' as const, cluster: 'far', why: '', since: 5 });
  const { parts } = bench({ targetOf });
  const listing = { machineClass: machineClass(), vms: [], now: 9, sightings: new Map(), isLeaving: () => false };
  expect(observeSweep(parts, listing).shut).toBe('the API server of the target cluster does not answer');
});

test('of a class that nobody uses it is that of all Clusters in its namespace (hack/spec/mcm.md 13.2)', () => {
  const other = { spec: { template: { spec: { class: { name: 'other' } } } } };
  const elsewhere = machineSet({ metadata: { labels: far, name: 'far' }, ...other } as never);
  expect(gateOf(seen({ sets: [elsewhere] }))).toBe(closed);
  expect(gateOf(seen({ sets: [elsewhere, machineSet()] }))).toBe(open);
  expect(gateOf(seen({ machines: [machine({ metadata: { namespace: 'other', labels: far } })] }))).toBe(open);
});

test.each([
  ['of the Node that this controller runs on', { name: 'm', uid: 'uid-node' }, true],
  ['of a Node of that name, where nobody tells which', { name: 'm', uid: undefined }, true],
  ['of another Node of that name', { name: 'm', uid: 'other' }, false],
  ['of another Node', { name: 'n', uid: undefined }, false],
])('the VM %s is the host’s, or not (hack/decisions/0000 7)', (_what, host, expected) => {
  const { parts, nodes } = bench({ host });
  nodes.reset([node({ spec: { providerID: LOST.providerID } })], '1');
  const listing = { machineClass: machineClass(), vms: [], now: 9, sightings: new Map(), isLeaving: () => false };
  expect(observeSweep(parts, listing).isHost(LOST)).toBe(expected);
});

test('the VM of a namespace is the host’s by none of another’s clusters (hack/decisions/0028 T12)', () => {
  const listing = { machineClass: machineClass(), vms: [], now: 9, sightings: new Map(), isLeaving: () => false };
  const hosted = (namespace: string) => {
    const { parts, nodes } = bench({
      host: { name: 'm', uid: undefined },
      targets: () => [{ api: {} as never, nodes, cluster: { namespace, name: 'far' }, heartbeats: undefined }],
    });
    nodes.reset([node({ spec: { providerID: LOST.providerID } })], '1');
    return observeSweep(parts, listing).isHost(LOST);
  };
  expect([hosted('herd'), hosted('mallorys')]).toEqual([true, false]);
});

test('a VM that is marked for another namespace than the one that is looked after is elsewhere', () => {
  const listing = { machineClass: machineClass(), vms: [], now: 9, sightings: new Map(), isLeaving: () => false };
  const of = (namespace: string) =>
    observeSweep(bench({ namespace }).parts, listing).isElsewhere({ ...LOST, owner: { name: 'm', namespace: 'herd' } });
  expect([of(''), of('herd'), of('other')]).toEqual([false, false, true]);
});

const frozen = { metadata: { labels: { [LABEL_FREEZE]: FROZEN } } };
const owned = machine({
  metadata: {
    ownerReferences: [{ apiVersion: '', kind: 'MachineSet', name: 'set', uid: 'uid-set', controller: true }],
  },
});
const ofOther = { spec: { template: { spec: { class: { name: 'other' } } } } };

test.each<[string, Parameters<typeof seen>[0], boolean]>([
  ['nothing is', { sets: [machineSet()], deployments: [machineDeployment()] }, false],
  ['a set of the class is', { sets: [machineSet(frozen)] }, true],
  ['a set of another class is', { sets: [machineSet({ ...frozen, ...ofOther } as never)] }, false],
  [
    'the set of the Machine of that name is, of whatever class',
    { sets: [machineSet({ ...frozen, ...ofOther } as never)], machines: [owned] },
    true,
  ],
  [
    'the set of the Machine of that name in another namespace is: no',
    {
      sets: [machineSet({ ...frozen, metadata: { ...frozen.metadata, namespace: 'mallorys' } })],
      machines: [machine({ metadata: { ...owned.metadata, namespace: 'mallorys' } })],
    },
    false,
  ],
])('a VM is frozen when %s', (_what, objects, expected) => {
  expect(seen(objects).isFrozen(LOST)).toBe(expected);
});
