import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { configMaps, type Node, nodes } from '../../controller/runtime/k8s/core.ts';
import { FINALIZER } from '../../schemas/keys.ts';
import { type ControllerProcess, startController } from './support/controllerprocess.ts';
import { controlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';

/** hack/decisions/0028 W4: a VM and a Node have one owner; label `node` and `spec.providerID` are claims, and no more. */

setDefaultTimeout(180_000);

const herd = new Herd();
const TAINT = { key: 'evil.io/x', effect: 'NoExecute' };
let controller: ControllerProcess;
/** The VM of the Machine `victim`. */
let providerID: string;

/** A Machine that claims a VM and a Node by its two fields, and wants to be gone by force. */
const thief = (name: string, claim: { providerID: string; node: string }) => {
  const { spec, metadata, ...rest } = herd.alone(name, 'small', { node: claim.node, 'force-deletion': 'True' });
  const nodeTemplate = { metadata: { labels: { stolen: 'yes' } }, spec: { taints: [TAINT] } };
  return {
    ...rest,
    metadata: { ...metadata, finalizers: [FINALIZER] },
    spec: { ...(spec as object), providerID: claim.providerID, nodeTemplate },
  };
};

const nodeNamed = (name: string): Promise<Node> => herd.api.get(nodes, { name });
const vmIds = async () => (await herd.vms()).map(({ metadata }) => metadata.name).sort();

/** What a thief could have changed of a Node. */
const standing = ({ metadata, spec }: Node) => ({
  uid: metadata.uid,
  deleting: metadata.deletionTimestamp,
  stolen: metadata.labels?.['stolen'],
  cordoned: spec?.unschedulable,
  taints: spec?.taints?.filter(({ key }) => key === TAINT.key) ?? [],
});

beforeAll(async () => {
  const cluster = await controlPlane();
  herd.settle(cluster, await cluster.namespace('oneowner'));
  controller = await startController({ cluster, namespace: herd.namespace, flags: ['--leader-elect=false'] });
  await controller.working();
  await herd.makeClass('small');
  await herd.apply(herd.alone(`victim-${herd.namespace}`, 'small'));
  const [machine] = await herd.whenRunning(1);
  providerID = machine?.spec?.providerID ?? '';
});

afterAll(async () => {
  await herd.kubectl('delete', 'mc', '--all', '--timeout=30s');
  expect(await controller.stop()).toBe(0);
  await herd.leave();
});

describe('a Machine that names the VM and the Node of another', () => {
  let before: ReturnType<typeof standing>;
  let vms: string[];

  test('says so, and touches neither (0028 W4)', async () => {
    const name = `victim-${herd.namespace}`;
    [before, vms] = [standing(await nodeNamed(name)), await vmIds()];
    await herd.apply(thief('thief', { providerID, node: name }));
    await herd.whenDecided('thief', 'VMClaimedByAnother');
    const said = await herd.said('thief', 'VMClaimed');
    expect(said).toContain(`is that of Machine ${herd.namespace}/${name} `);
    expect(standing(await nodeNamed(name))).toEqual(before);
    expect(before).toMatchObject({ stolen: undefined, taints: [] });
  });

  test('is let go when it is deleted, also by force, and VM and Node stay (0028 W4)', async () => {
    await herd.kubectl('delete', 'mc/thief', '--timeout=30s');
    expect(standing(await nodeNamed(`victim-${herd.namespace}`))).toEqual(before);
    expect(await vmIds()).toEqual(vms);
    const events = await herd.events();
    expect(events).toContain('it is left alone, and so is its Node');
    const { metadata } = (await herd.machines())[0] ?? {};
    expect([metadata?.name, metadata?.deletionTimestamp]).toEqual([`victim-${herd.namespace}`, undefined]);
  });
});

test('a Machine with another cloud’s id waits when it is deleted, says what lets it go, and goes by force (0028 M17)', async () => {
  const id = 'aws:///eu-west-1/i-1';
  const { spec, metadata, ...rest } = herd.alone('astray', 'small');
  const held = { ...metadata, finalizers: [FINALIZER] };
  await herd.apply({ ...rest, metadata: held, spec: { ...(spec as object), providerID: id } });
  await herd.kubectl('delete', 'mc/astray', '--wait=false');
  await herd.whenDecided('astray', 'ProviderIDInvalid');
  expect(await herd.said('astray', 'VMClaimed')).toContain(
    `spec.providerID ${id} is no id of a VM of the driver virtual, so that there is nothing to delete: the label force-deletion: "True" lets the machine go`,
  );
  await herd.kubectl('label', 'mc/astray', 'force-deletion=True');
  await herd.kubectl('wait', 'mc/astray', '--for=delete', '--timeout=45s');
});

test('a Node without a providerID is not that of an old Machine which has its name on the label (0028 W4)', async () => {
  const name = `bare-${herd.namespace}`;
  await herd.apply(thief('squatter', { providerID: 'virtual:///nothing', node: name }));
  await Bun.sleep(1_100);
  const joined = await herd.api.create(nodes, { metadata: { name } });
  await herd.kubectl('delete', 'mc/squatter', '--timeout=30s');
  const after = await nodeNamed(name);
  expect(standing(after)).toEqual({ ...standing(joined), taints: [] });
  await herd.api.delete(nodes, { name });
});

test('the Node of a VM that the driver does not know stays, a member of a control plane most of all (0028 W4)', async () => {
  const name = `cp-${herd.namespace}`;
  const labels = { 'node-role.kubernetes.io/control-plane': '' };
  const id = `virtual:///of-nobody-${herd.namespace}`;
  const joined = await herd.api.create(nodes, { metadata: { name, labels }, spec: { providerID: id } });
  await herd.apply(thief('crown', { providerID: id, node: name }));
  await herd.kubectl('delete', 'mc/crown', '--timeout=30s');
  expect(standing(await nodeNamed(name))).toEqual(standing(joined));
  await herd.api.delete(nodes, { name });
});

test('of two Machines that name a VM without a mark the one that was recorded has it (0028 W4)', async () => {
  const [made] = await herd.vms();
  const name = `victim-${herd.namespace}`;
  // As MCM's VMs are: no installation, and the name of nobody.
  const unmarked = { data: { incarnation: null, machine: null } };
  await herd.api.patch(configMaps, made?.metadata ?? { name }, { type: 'merge', body: unmarked });
  await herd.apply(thief('second', { providerID, node: name }));
  await herd.whenDecided('second', 'VMClaimedByAnother');
  await herd.kubectl('annotate', `mc/${name}`, 'look=again');
  await herd.kubectl('delete', 'mc/second', '--timeout=30s');
  expect((await herd.api.get(configMaps, made?.metadata ?? { name })).metadata.deletionTimestamp).toBeUndefined();
  expect(standing(await nodeNamed(name)).taints).toEqual([]);
});
