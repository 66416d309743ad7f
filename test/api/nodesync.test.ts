import { describe, expect, test } from 'bun:test';
import { type Node, nodes } from '../../controller/runtime/k8s/core.ts';
import { resources } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';
import { useHerd } from './support/herdfixture.ts';

const herd = useHerd();
const RECORD = 'node.machine.sapcloud.io/last-applied-anno-labels-taints';
const theirs = { key: 'their/taint', effect: 'NoSchedule' };

const nodeOf = (name: string): Promise<Node> => herd.api.get(nodes, { name });
/** Keys of the Node's taints but for those that Kubernetes puts on and takes off. */
const keysOf = ({ spec }: Node) =>
  (spec?.taints ?? []).map(({ key }) => key).filter((key) => !key.startsWith('node.kubernetes.io/'));
const machineOf = (name: string): Promise<Machine> =>
  herd.api.get(resources.machines, { namespace: herd.namespace, name });
const patchSpec = (name: string, spec: object) =>
  herd.api.patch(resources.machines, { namespace: herd.namespace, name }, { type: 'merge', body: { spec } });
const patchNode = (name: string, body: object) => herd.api.patch(nodes, { name }, { type: 'merge', body });

/** A Machine that runs; Nodes are of the whole cluster, so its name is of the namespace. */
async function run(spec: object, machineClass = 'small'): Promise<string> {
  const name = `m-${herd.namespace}`;
  const alone = herd.alone(name, machineClass);
  await herd.apply({ ...alone, spec: { ...(alone['spec'] as object), ...spec } });
  await herd.kubectl('wait', `mc/${name}`, '--for=jsonpath={.status.currentStatus.phase}=Running', '--timeout=45s');
  return name;
}

const becomes = (what: string, name: string, is: (node: Node) => boolean) =>
  herd.eventually(what, async () => is(await nodeOf(name)));

describe('the Node of a Machine (hack/spec/cluster-api.md A1.12 L7)', () => {
  const template = (labels: object, annotations: object, taints: object[]) => ({
    metadata: { labels, annotations },
    spec: { taints },
  });

  test('gets what the template asks for, loses what leaves it, and keeps what others put there', async () => {
    const nodeTemplate = template({ a: '1', b: '2' }, { c: '3' }, [{ key: 'mine', effect: 'NoSchedule' }]);
    const name = await run({ nodeTemplate });
    const first = await nodeOf(name);
    expect(first.metadata.labels).toMatchObject({ a: '1', b: '2', 'node.gardener.cloud/machine-name': name });
    expect(first.metadata.annotations).toMatchObject({
      c: '3',
      'machine.sapcloud.io/machine': name,
      'machine.sapcloud.io/cluster-namespace': herd.namespace,
    });
    expect(JSON.parse(first.metadata.annotations?.[RECORD] ?? '')).toEqual(nodeTemplate);
    expect(keysOf(first)).toContain('mine');

    const taints = [...(first.spec?.taints ?? []), theirs];
    await patchNode(name, { metadata: { labels: { theirs: '1', a: 'changed' } }, spec: { taints } });
    await becomes('the label to be put back', name, ({ metadata }) => metadata.labels?.['a'] === '1');
    await patchSpec(name, {
      nodeTemplate: { metadata: { labels: { a: '1', b: null }, annotations: null }, spec: null },
    });
    await becomes('the rest to be taken off', name, ({ metadata }) => metadata.labels?.['b'] === undefined);
    const last = await nodeOf(name);
    expect(last.metadata.labels).toMatchObject({ a: '1', theirs: '1' });
    expect(last.metadata.annotations).not.toHaveProperty('c');
    expect(keysOf(last)).toEqual([theirs.key]);
  });

  test('keeps what others put there, though its own record or a later template names it (hack/decisions/0028 T19)', async () => {
    const quarantine = { key: 'quarantine', value: 'true', effect: 'NoExecute' };
    const restricted = { 'node-restriction.kubernetes.io/quarantined': 'true' };
    const name = await run({ nodeTemplate: template({ a: '1' }, {}, [{ key: 'mine', effect: 'NoSchedule' }]) });
    const taints = [...((await nodeOf(name)).spec?.taints ?? []), quarantine];
    await patchNode(name, { metadata: { labels: restricted }, spec: { taints } });
    const forged = JSON.stringify(template(restricted, {}, [quarantine]));
    await patchNode(name, { metadata: { annotations: { [RECORD]: forged } } });
    await becomes('the record to be mended', name, ({ metadata }) => metadata.annotations?.[RECORD] !== forged);
    expect(await standing(name)).toEqual({ keys: ['mine', 'quarantine'], quarantined: 'true' });

    await patchSpec(name, { nodeTemplate: template({ a: '2' }, {}, [quarantine]) });
    await becomes('the template to be applied', name, ({ metadata }) => metadata.labels?.['a'] === '2');
    expect(await standing(name)).toEqual({ keys: ['quarantine'], quarantined: 'true' });
    await patchSpec(name, { nodeTemplate: template({ a: '3' }, {}, []) });
    await becomes('the last template to be applied', name, ({ metadata }) => metadata.labels?.['a'] === '3');
    expect(await standing(name)).toEqual({ keys: ['quarantine'], quarantined: 'true' });
    const given = async () => (await machineOf(name)).metadata.annotations?.['protected.drover.dev/node-given'];
    await herd.eventually('the note to go with what it names', async () => (await given()) === undefined);
  });

  const standing = async (name: string) => {
    const node = await nodeOf(name);
    const quarantined = node.metadata.labels?.['node-restriction.kubernetes.io/quarantined'];
    return { keys: keysOf(node).sort(), quarantined };
  };

  test('gets additive taints back and keeps them when they leave the spec', async () => {
    const name = await run({ taints: [{ key: 'seed', value: 'a', effect: 'NoSchedule' }] });
    expect(keysOf(await nodeOf(name))).toEqual(['seed']);
    await patchNode(name, { spec: { taints: [theirs] } });
    await becomes('the taint to come back', name, (node) => keysOf(node).includes('seed'));
    expect(keysOf(await nodeOf(name))).toEqual([theirs.key, 'seed']);
    await patchSpec(name, { taints: null, nodeTemplate: { metadata: { labels: { seen: 'yes' } } } });
    await becomes('the change to be seen', name, ({ metadata }) => metadata.labels?.['seen'] === 'yes');
    expect(keysOf(await nodeOf(name))).toEqual([theirs.key, 'seed']);
  });

  test('gets the virtual capacity of the class, and loses it', async () => {
    const nodeTemplate = {
      capacity: { cpu: '4', memory: '16Gi', gpu: '0' },
      virtualCapacity: { 'drover.dev/seats': '1000' },
      instanceType: 'virtual',
      region: 'here',
      zone: 'a',
    };
    const kind = 'MachineClass';
    await herd.apply({
      apiVersion: 'machine.sapcloud.io/v1alpha1',
      kind,
      metadata: { name: 'seated' },
      provider: 'virtual',
      providerSpec: {},
      nodeTemplate,
    });
    const name = await run({}, 'seated');
    expect((await nodeOf(name)).status?.capacity?.['drover.dev/seats']).toBe('1k');
    await herd.api.patch(
      resources.machineClasses,
      { namespace: herd.namespace, name: 'seated' },
      { type: 'merge', body: { nodeTemplate: { virtualCapacity: null } } },
    );
    await becomes('the capacity to go', name, ({ status }) => status?.capacity?.['drover.dev/seats'] === undefined);
    const record = 'node.machine.sapcloud.io/last-applied-virtual-capacity';
    await becomes('the record to go', name, ({ metadata }) => metadata.annotations?.[record] === undefined);
  });

  test('whose change is refused says so, is judged all the same, and is tried again when the template is mended', async () => {
    const name = await run({});
    await patchSpec(name, { nodeTemplate: { metadata: { labels: { bad: 'no label!' } } } });
    await herd.kubectl('wait', `mc/${name}`, '--for=condition=NodeSynced=false', '--timeout=45s');
    const { status } = await machineOf(name);
    const synced = status?.conditions?.find(({ type }) => type === 'NodeSynced');
    expect(status?.currentStatus?.phase).toBe('Running');
    expect([synced?.reason, synced?.message]).toEqual(['WriteRefused', expect.stringContaining('metadata.labels')]);
    await patchSpec(name, { nodeTemplate: { metadata: { labels: { bad: 'good' } } } });
    await herd.kubectl('wait', `mc/${name}`, '--for=condition=NodeSynced', '--timeout=45s');
    expect((await nodeOf(name)).metadata.labels).toMatchObject({ bad: 'good' });
  });

  test('with a record that nobody can read is synchronised, once', async () => {
    const name = await run({ nodeTemplate: { metadata: { labels: { a: '1' } } } });
    await patchNode(name, { metadata: { annotations: { [RECORD]: '{' } } });
    await becomes('the record to be mended', name, ({ metadata }) => metadata.annotations?.[RECORD] !== '{');
    expect((await herd.events()).match(/ ReplaceLastApplied /g)).toHaveLength(1);
  });
});

test('a Node that registers with the start-up taint loses it in the one write in which it gets all else', async () => {
  await herd.makeClass('starting', { node: { taints: [{ key: 'drover.dev/uninitialized', effect: 'NoSchedule' }] } });
  const name = `m-${herd.namespace}`;
  const { resourceVersion } = await herd.api.list(nodes);
  const end = new AbortController();
  const states = statesOf(name, { resourceVersion, signal: end.signal });
  await run({ nodeTemplate: { metadata: { labels: { a: '1' } }, spec: { taints: [theirs] } } }, 'starting');
  end.abort();
  const seen = await states;
  expect(seen.at(0)).toBe('drover.dev/uninitialized');
  expect(new Set(seen)).toEqual(new Set(['drover.dev/uninitialized', 'a machine their/taint']));
});

/** What each state of the Node shows: of labels and annotations those that we write, and taints but for admission's. */
async function statesOf(name: string, from: { resourceVersion: string; signal: AbortSignal }): Promise<string[]> {
  const states: string[] = [];
  try {
    const options = { ...from, fieldSelector: `metadata.name=${name}`, timeoutSeconds: 60 };
    for await (const { object } of herd.api.watch(nodes, options)) states.push(shownBy(object as Node));
  } catch (error) {
    if (!from.signal.aborted) throw error;
  }
  return states.filter((state) => state !== 'bookmark');
}

function shownBy({ metadata, spec }: Node): string {
  if (!spec) return 'bookmark';
  const label = metadata.labels?.['a'] && 'a';
  const annotation = metadata.annotations?.['machine.sapcloud.io/machine'] && 'machine';
  return [label, annotation, ...keysOf({ metadata, spec })].filter(Boolean).join(' ');
}

test('the status tells Node, addresses and version', async () => {
  const name = await run({});
  const node = await nodeOf(name);
  expect((await machineOf(name)).status).toMatchObject({
    nodeRef: { name, uid: node.metadata.uid },
    addresses: node.status?.addresses,
    versions: { kubelet: node.status?.nodeInfo?.['kubeletVersion'] },
  });
});
