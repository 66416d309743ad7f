import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { MachineRequest } from '../../controller/drivers/sdk/driver.ts';
import { requestFor } from '../../controller/drivers/virtual/virtual.fixture.ts';
import { Api } from '../../controller/runtime/client/api.ts';
import { systemClock as clock } from '../../controller/runtime/clock.ts';
import { configMaps, leases, type Node, nodes } from '../../controller/runtime/k8s/core.ts';
import { rbac } from '../../hack/generate/rbac.ts';
import { until } from '../../hack/lib/until.ts';
import type { VirtualSpec } from '../../schemas/providers/virtual.ts';
import { type RunningVirtual, startVirtual } from '../conformance/virtual.ts';
import { type Cluster, controlPlane, type Identity } from './support/controlplane.ts';

const SOON = { timeoutMs: 10_000 };
const CLOUD = 'drover-virtual-cloud';

let cluster: Cluster;
let controller: Identity;
let virtual: RunningVirtual;

/** As the controller's own account, with the rights that the chart gives it. */
beforeAll(async () => {
  cluster = await controlPlane();
  for (const { content } of rbac()) await kubectl(['apply', '-f', '-'], content);
  controller = await cluster.serviceAccount('drover-system', 'drover-controller');
  virtual = await startVirtual(controller.connection, 'cluster');
}, 180_000);

afterAll(async () => {
  virtual.kill();
  const tidy = ['--ignore-not-found', '--wait=false'];
  await kubectl(['delete', 'configmaps', '-n', CLOUD, ...tidy, ...made.map(({ token }) => token)]);
  await kubectl(['delete', 'nodes', ...tidy, ...made.map(({ machine }) => machine.metadata.name)]);
});

async function kubectl(args: string[], stdin?: string): Promise<string> {
  const { code, stdout, stderr } = await cluster.kubectl(args, stdin === undefined ? {} : { stdin });
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
  return stdout;
}

const made: MachineRequest[] = [];

/** A request about a machine of its own. */
function request(spec: VirtualSpec = {}): MachineRequest {
  const wanted = requestFor(`vm-${process.pid}-${made.length}`, { heartbeat: '0s', ...spec });
  made.push(wanted);
  return wanted;
}

const api = (): Api => virtual.api;
const admin = (): Api => new Api({ connection: cluster.admin, clock });
const nodeOf = (name: string): Promise<Node> => api().get(nodes, { name });
const readyOf = async (name: string) => {
  const ready = (await nodeOf(name)).status?.conditions?.find(({ type }) => type === 'Ready');
  return `${ready?.status} ${ready?.reason}`;
};
const joined = (name: string) => until(`Node ${name}`, () => nodeOf(name), SOON);
const isReady = (name: string, state: string) =>
  until(`Node ${name} to be ${state}`, async () => (await readyOf(name)) === state, SOON);

describe('The virtual driver on a real API server', () => {
  test('makes a ConfigMap for people and a Node that is Ready and loses admission’s taint', async () => {
    const wanted = request({ tags: { team: 'blue' } });
    const { providerID, nodeName } = await virtual.driver.createMachine(wanted);
    const { data } = JSON.parse(await kubectl(['get', 'configmap', wanted.token, '-n', CLOUD, '-o', 'json']));
    expect(data).toMatchObject({ providerID, nodeName, state: 'Running', incarnation: 'here', 'tag.team': 'blue' });
    const node = await joined(nodeName);
    expect(node.spec?.providerID).toBe(providerID);
    expect(await readyOf(nodeName)).toBe('True KubeletReady');
    expect(node.metadata.labels).toEqual({ 'kubernetes.io/hostname': nodeName });
    await until('the taint to go', async () => (await nodeOf(nodeName)).spec?.taints === undefined, SOON);
    expect(await kubectl(['get', 'nodes', nodeName, '--no-headers'])).toMatch(/ Ready +<none> +\S+ +v0\.0\.0-virtual/);
  });

  test('takes the place of nobody’s Node', async () => {
    const wanted = request();
    const { name } = wanted.machine.metadata;
    await virtual.nodes.whenSeen(
      await admin().create(nodes, { metadata: { name }, spec: { providerID: 'aws:///i-1' } }),
    );
    await expect(virtual.driver.createMachine(wanted)).rejects.toMatchObject({ code: 'AlreadyExists' });
    expect(await virtual.driver.listMachines?.(wanted)).not.toContainEqual(
      expect.objectContaining({ machineName: name }),
    );
  });

  test('renews the Lease of the Node, which goes with the VM', async () => {
    const wanted = request({ heartbeat: '200ms' });
    const { nodeName } = await virtual.driver.createMachine(wanted);
    const lease = { namespace: 'kube-node-lease', name: nodeName };
    const first = await until('a Lease', () => admin().get(leases, lease), SOON);
    await until(
      'another beat',
      async () => (await admin().get(leases, lease)).spec?.renewTime !== first.spec?.renewTime,
      SOON,
    );
    expect(first.metadata.ownerReferences).toMatchObject([
      { kind: 'Node', uid: (await nodeOf(nodeName)).metadata.uid },
    ]);
    await virtual.driver.deleteMachine(wanted);
    await until('no Lease', async () => !(await leaseNames()).includes(nodeName), SOON);
    expect(await readyOf(nodeName)).toBe('True KubeletReady');
  });

  test('sees that a user deleted a ConfigMap: the VM has vanished and its Node is not Ready', async () => {
    const wanted = request();
    const { nodeName } = await virtual.driver.createMachine(wanted);
    await joined(nodeName);
    await kubectl(['delete', 'configmap', wanted.token, '-n', CLOUD]);
    await isReady(nodeName, 'Unknown VirtualMachineGone');
    await expect(virtual.driver.getMachineStatus?.(wanted)).rejects.toMatchObject({ code: 'NotFound' });
  });

  test('sees that a user broke a VM, and mended it', async () => {
    const wanted = request();
    const { nodeName } = await virtual.driver.createMachine(wanted);
    await joined(nodeName);
    const set = (broken: string) =>
      kubectl(['patch', 'configmap', wanted.token, '-n', CLOUD, '-p', `{"data":{"broken":"${broken}"}}`]);
    await set('true');
    await isReady(nodeName, 'Unknown VirtualMachineBroken');
    expect(await kubectl(['get', 'configmap', wanted.token, '-n', CLOUD, '-o', 'jsonpath={.data.state}'])).toBe(
      'Broken',
    );
    await set('false');
    await isReady(nodeName, 'True KubeletReady');
  });

  test('registers a Node again that a user deleted', async () => {
    const { nodeName } = await virtual.driver.createMachine(request());
    const first = await joined(nodeName);
    await kubectl(['delete', 'node', nodeName]);
    await until('another Node', async () => (await nodeOf(nodeName)).metadata.uid !== first.metadata.uid, SOON);
  });

  test('leaves tags alone that a user put on a VM', async () => {
    const wanted = request({ tags: { team: 'blue' } });
    await virtual.driver.createMachine(wanted);
    await kubectl(['patch', 'configmap', wanted.token, '-n', CLOUD, '-p', '{"data":{"tag.mine":"yes"}}']);
    const applied = wanted.class.providerSpec;
    await virtual.driver.updateMachine?.({ ...wanted, applied, class: { ...wanted.class, providerSpec: {} } });
    const { data } = await api().get(configMaps, { namespace: CLOUD, name: wanted.token });
    expect(data).toMatchObject({ 'tag.mine': 'yes' });
    expect(data).not.toHaveProperty('tag.team');
  });
});

describe('Another process', () => {
  test('finds the VMs, goes on with their lives, and sees which vanished meanwhile', async () => {
    const slow = request({ latency: { join: '2s' } });
    const lost = request();
    const late = await virtual.driver.createMachine(slow);
    const gone = await virtual.driver.createMachine(lost);
    await joined(gone.nodeName);
    virtual.kill();
    await kubectl(['delete', 'configmap', lost.token, '-n', CLOUD]);
    virtual = await startVirtual(controller.connection, 'cluster');
    expect(await virtual.driver.createMachine(slow)).toEqual(late);
    expect(await virtual.driver.listMachines?.(slow)).toContainEqual(
      expect.objectContaining({ providerID: late.providerID, incarnation: 'here' }),
    );
    await isReady(late.nodeName, 'True KubeletReady');
    await isReady(gone.nodeName, 'Unknown VirtualMachineGone');
  });

  test('makes no second VM of a token at the same time', async () => {
    const other = await startVirtual(controller.connection, 'cluster');
    const wanted = request();
    const [one, two] = await Promise.all([virtual, other].map(({ driver }) => driver.createMachine(wanted)));
    other.kill();
    expect(one).toEqual(two as NonNullable<typeof two>);
    const found = (await virtual.driver.listMachines?.(wanted)) ?? [];
    expect(found.filter(({ machineName }) => machineName === wanted.machine.metadata.name)).toHaveLength(1);
  });
});

async function leaseNames(): Promise<string[]> {
  const { items } = await admin().list(leases, { namespace: 'kube-node-lease' });
  return items.map(({ metadata }) => metadata.name);
}
