import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { MachineRequest, RunningDriver, VmAnswer } from '../../controller/drivers/sdk/driver.ts';
import { DriverError } from '../../controller/drivers/sdk/errors.ts';
import { ownerIn } from '../../controller/drivers/sdk/vmstatus.ts';
import { type Node, nodes } from '../../controller/runtime/k8s/core.ts';
import type { OwnCluster } from '../api/support/controlplane.ts';
import { Herd } from '../api/support/herd.ts';
import { type OwnController, startInProcess } from '../api/support/inprocesscontroller.ts';
import { clusterFor } from './tenants.ts';

/**
 * A tenant of a cluster that namespaces share names a Machine as a Node to come, of a cloud whose Nodes have no providerID, and
 * waits for it (hack/decisions/0028 T21).
 */

setDefaultTimeout(180_000);

const mallory = new Herd();
const victim = new Herd();
const TAINT = { key: 'evil.io/x', effect: 'NoExecute' };
const vms = new Map<string, VmAnswer>();
/** Addresses that the driver tells, by the ids of VMs. */
const told = new Map<string, string>();
let cluster: OwnCluster;
let controller: OwnController;

const idOf = (namespace: string, name: string): string => `names:///${namespace}/${name}`;

function answerTo({ machine, class: { metadata } }: MachineRequest): VmAnswer {
  const id = machine.spec.providerID ?? idOf(metadata.namespace ?? '', machine.metadata.name);
  const vm = vms.get(id);
  if (!vm) throw new DriverError('NotFound', 'there is no such VM');
  const address = told.get(id);
  return { ...vm, ...(address && { addresses: [{ type: 'InternalIP', address }] }) };
}

const driver: RunningDriver = {
  name: 'names',
  providerSpec: {},
  start: async () => {},
  createMachine: async (request) => {
    const { name } = request.machine.metadata;
    const providerID = idOf(request.class.metadata.namespace ?? '', name);
    vms.set(providerID, { providerID, nodeName: name, owner: ownerIn(request) });
    return answerTo(request);
  },
  getMachineStatus: async (request) => answerTo(request),
  deleteMachine: async ({ machine: { spec } }) => {
    vms.delete(spec.providerID ?? '');
    return {};
  },
};

const evil = (name: string) => {
  const { spec, ...rest } = mallory.alone(name, 'small');
  return { ...rest, spec: { ...(spec as object), nodeTemplate: { spec: { taints: [TAINT] } } } };
};

async function register(name: string, address?: string): Promise<void> {
  await victim.api.create(nodes, { metadata: { name } } as Node);
  if (!address) return;
  const body = { status: { addresses: [{ type: 'InternalIP', address }] } };
  await victim.api.patch(nodes, { name }, { type: 'merge', body }, { subresource: 'status' });
}

async function standing(name: string): Promise<{ of: string | undefined; evil: boolean }> {
  const { metadata, spec } = await victim.api.get(nodes, { name });
  return {
    of: metadata.annotations?.['machine.sapcloud.io/cluster-namespace'],
    evil: spec?.taints?.some(({ key }) => key === TAINT.key) ?? false,
  };
}

const confirmed = (herd: Herd, name: string) =>
  herd.eventually(`the VM of ${name} to be confirmed`, async () => {
    const path = 'jsonpath={.metadata.annotations.protected\\.drover\\.dev/vm-confirmed}';
    return (await herd.kubectl('get', `mc/${name}`, '-o', path)) !== '';
  });

beforeAll(async () => {
  cluster = await clusterFor({ mallorys: mallory, victim });
  for (const herd of [mallory, victim]) await herd.makeClass('small', {}, 'names');
  controller = await startInProcess(new Herd().settle(cluster, ''), driver, {});
}, 120_000);

afterAll(async () => {
  controller?.end();
  await cluster?.end();
});

test('a Node that machines of two namespaces name is nobody’s, until somebody says whose it is', async () => {
  await mallory.apply(evil('worker-17'));
  await confirmed(mallory, 'worker-17');
  await victim.apply(victim.alone('worker-17', 'small'));
  await confirmed(victim, 'worker-17');
  await register('worker-17');
  for (const herd of [mallory, victim]) {
    await herd.whenDecided('worker-17', 'NodeNotOwned');
    expect(await herd.said('worker-17', 'NodeRegistered')).toContain('machines of several namespaces have it');
  }
  expect(await mallory.said('worker-17', 'NodeRegistered')).not.toContain(victim.namespace);
  expect(await standing('worker-17')).toEqual({ of: undefined, evil: false });

  const record = ['machine.sapcloud.io/machine=worker-17', `machine.sapcloud.io/cluster-namespace=${victim.namespace}`];
  await victim.kubectl('annotate', 'node', 'worker-17', ...record);
  const label = async () =>
    (await victim.api.get(nodes, { name: 'worker-17' })).metadata.labels?.['node.gardener.cloud/machine-name'];
  await victim.eventually('the Node to be the victim’s', async () => (await label()) === 'worker-17');
  expect(await standing('worker-17')).toEqual({ of: victim.namespace, evil: false });
});

test('a Node of nobody’s machine is not that of one whose VM has other addresses', async () => {
  told.set(idOf(mallory.namespace, 'joined'), '10.0.0.66');
  await mallory.apply(evil('joined'));
  await confirmed(mallory, 'joined');
  await register('joined', '10.0.0.1');
  await mallory.whenDecided('joined', 'NodeNotOwned');
  // Before its kubelet has reported addresses it says that there are none.
  await mallory.eventually('that to be told', async () =>
    (await mallory.said('joined', 'NodeRegistered')).includes('no address that the VM has'),
  );
  expect(await standing('joined')).toEqual({ of: undefined, evil: false });
});

test('a Node with the address of the VM is that of its machine, whoever waited for it', async () => {
  told.set(idOf(mallory.namespace, 'worker-18'), '10.0.0.66');
  told.set(idOf(victim.namespace, 'worker-18'), '10.0.0.18');
  await mallory.apply(evil('worker-18'));
  await confirmed(mallory, 'worker-18');
  await victim.apply(victim.alone('worker-18', 'small'));
  await confirmed(victim, 'worker-18');
  await register('worker-18', '10.0.0.18');
  await victim.eventually('the Node to be the victim’s', async () => (await standing('worker-18')).of !== undefined);
  expect(await standing('worker-18')).toEqual({ of: victim.namespace, evil: false });
});
