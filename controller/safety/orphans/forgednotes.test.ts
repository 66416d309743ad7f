import { describe, expect, test } from 'bun:test';
import { node } from '../../../test/fixtures/objects.ts';
import { mergePatched } from '../../../test/world/patching.ts';
import type { Node } from '../../runtime/k8s/core.ts';
import { Cache } from '../../runtime/watch/cache.ts';
import { nodeIndexes } from '../../targets/caches.ts';
import { bench, MINUTE } from './vmsweep.fixture.ts';

// hack/decisions/0028 T58: who runs a target writes on its Nodes what he likes.

const THEIRS = 'aws:///eu-west-1a/i-0operators';
const NOT_READY = { conditions: [{ type: 'Ready', status: 'False' }] };
const OWN = { namespace: 'herd', name: 'own' };

const recordOf = (namespace: string, name = 'm') => ({
  'machine.sapcloud.io/machine': name,
  'machine.sapcloud.io/cluster-namespace': namespace,
});

/** One with the id of the operator's Node that says that the VM was to be deleted as an orphan of herd/small. */
const bait = (annotations: Record<string, string | undefined>) =>
  node({
    metadata: { name: 'bait', uid: 'u-bait', annotations: { 'drover.dev/orphan-deletion': 'small', ...annotations } },
    spec: { providerID: THEIRS },
    status: NOT_READY,
  } as never);

const victim = (annotations: Record<string, string | undefined>) =>
  node({
    metadata: { name: 'operators-worker', uid: 'u-worker', annotations },
    spec: { providerID: THEIRS },
    status: NOT_READY,
  } as never);

const UNCLAIMED = { 'machine.sapcloud.io/machine': undefined, 'machine.sapcloud.io/cluster-namespace': undefined };

/** An API server of one cluster, and what was deleted and changed there. */
function clusterOf(all: Node[], cluster?: { namespace: string; name: string }) {
  const nodes = new Cache<Node>({ indexes: nodeIndexes });
  nodes.reset(all, '1');
  const done: string[] = [];
  const api = {
    get: async (_: unknown, { name }: { name: string }) => nodes.get(name),
    patch: async (_: unknown, { name }: { name: string }, { body }: { body: object }) => {
      done.push(`patched ${name}`);
      const patched = mergePatched(nodes.get(name), body) as Node;
      nodes.put(patched);
      return patched;
    },
    delete: async (_: unknown, { name }: { name: string }) => void done.push(`deleted ${name}`),
  };
  return { target: { api, nodes, cluster, heartbeats: undefined }, done };
}

/** Two sweeps of herd/small, whose cloud has no VM any more. */
async function swept(...clusters: Array<ReturnType<typeof clusterOf>>) {
  const stage = bench({ targets: () => clusters.map(({ target }) => target) as never });
  stage.world.vms = [];
  await stage.sweeps(2);
  return stage;
}

describe('of a note on a Node in a tenant’s cluster', () => {
  const json = JSON.stringify({
    class: 'herd/small',
    machineName: 'm',
    owner: { name: 'm', namespace: 'herd', uid: 'u' },
  });
  test.each<[string, Record<string, string | undefined>, Record<string, string | undefined>]>([
    ['a Node of the operator that nobody has', {}, UNCLAIMED],
    ['one that is recorded as another tenant’s', {}, recordOf('victim')],
    ['one that is recorded as this tenant’s Machine’s, and says nothing', {}, recordOf('herd')],
    ['one of whatever the note names', { 'drover.dev/orphan-deletion': json }, UNCLAIMED],
  ])('%s stays in the operator’s cluster, as it is', async (_what, said, theirs) => {
    const operators = clusterOf([victim(theirs)]);
    const own = clusterOf([bait(said)], OWN);
    await swept(operators, own);
    expect(operators.done).toEqual([]);
  });
});

describe('a Node that says itself that its VM was to be deleted', () => {
  test.each<[string, Record<string, string | undefined>, { namespace: string; name: string } | undefined, boolean]>([
    ['recorded in the namespace of the class goes', {}, OWN, true],
    ['recorded there goes from the default target', {}, undefined, true],
    ['that nobody recorded stays', UNCLAIMED, OWN, false],
    ['recorded in another namespace stays', recordOf('victim'), undefined, false],
    ['in a Cluster of another namespace stays', {}, { namespace: 'victim', name: 'far' }, false],
    ['recorded for what is no name stays', recordOf('herd', 'm,metadata.namespace=nowhere'), undefined, false],
  ])('%s', async (_what, said, cluster, goes) => {
    const there = clusterOf([bait(said)], cluster);
    await swept(there);
    expect(there.done).toEqual(goes ? ['deleted bait', 'deleted bait'] : []);
  });

  test('and is of a control plane stays, for no UID proves whose it was', async () => {
    const one = bait({});
    const labels = { 'node-role.kubernetes.io/control-plane': '' };
    const there = clusterOf([{ ...one, metadata: { ...one.metadata, labels } }]);
    await swept(there);
    expect(there.done).toEqual([]);
  });

  test('takes none along that has the same id in another cluster of the namespace', async () => {
    const one = clusterOf([bait({})], OWN);
    const other = clusterOf([victim(recordOf('herd'))], { namespace: 'herd', name: 'other' });
    await swept(one, other);
    expect([one.done.length, other.done]).toEqual([2, []]);
  });

  test('whose driver is asked names the Machine of the record, and no UID', async () => {
    const there = clusterOf([bait({})], OWN);
    const { sweeper, world } = bench({ targets: () => [there.target] as never });
    world.vms = [];
    const asked: object[] = [];
    const { status } = world;
    Object.assign(world.driver, {
      getMachineStatus: ({ machine: { metadata, spec } }: { machine: { metadata: object; spec: object } }) => {
        asked.push({ ...metadata, ...spec });
        return status();
      },
    });
    await sweeper.sweep('herd/small');
    expect(asked).toEqual([{ name: 'm', namespace: 'herd', uid: undefined, providerID: THEIRS }]);
  });
});

test('a VM whose name is none of a Machine is looked for by no field selector', async () => {
  const asked: unknown[] = [];
  const list = async (_: unknown, query: object) => {
    asked.push(query);
    return { items: [] };
  };
  const { sweeps, world } = bench({ api: { list } as never });
  world.vms = world.vms.map((vm) => ({ ...vm, machineName: 'm,metadata.namespace=nowhere' }));
  await sweeps(2, 15 * MINUTE);
  expect(asked).toEqual([]);
});
