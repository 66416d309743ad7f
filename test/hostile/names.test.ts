import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { ListedVm, MachineRequest, RunningDriver, VmAnswer } from '../../controller/drivers/sdk/driver.ts';
import { DriverError } from '../../controller/drivers/sdk/errors.ts';
import { ownerIn } from '../../controller/drivers/sdk/vmstatus.ts';
import { type Node, nodes } from '../../controller/runtime/k8s/core.ts';
import type { OwnCluster } from '../api/support/controlplane.ts';
import { Herd } from '../api/support/herd.ts';
import { type OwnController, startInProcess } from '../api/support/inprocesscontroller.ts';
import { incarnationOf } from '../api/support/strangevms.ts';
import { clusterFor } from './tenants.ts';

/**
 * Tenants of a cloud whose ids are names within projects, with credentials for a project of their own, where the cloud says
 * what they like (hack/decisions/0028 T6, T12, T14).
 */

setDefaultTimeout(180_000);

const mallory = new Herd();
const victim = new Herd();
const OLD = Date.now() - 3_600_000;
const CONTROL_PLANE = { 'node-role.kubernetes.io/control-plane': '' };
const TAINT = { key: 'evil.io/x', effect: 'NoExecute' };
/** VMs by id; whoever asks first for one without a mark gets its mark. */
const vms = new Map<string, ListedVm>();
const deleted: string[] = [];
let cluster: OwnCluster;
let controller: OwnController;

const projectOf = ({ class: { metadata } }: Pick<MachineRequest, 'class'>): string => metadata.namespace ?? '';

function answerTo(request: MachineRequest): VmAnswer {
  const { spec, metadata } = request.machine;
  const vm = vms.get(spec.providerID ?? `names:///${projectOf(request)}/${metadata.name}`);
  if (!vm) throw new DriverError('NotFound', 'there is no such VM');
  vm.owner ??= ownerIn(request);
  return { providerID: vm.providerID, nodeName: vm.machineName, owner: vm.owner };
}

const driver: RunningDriver = {
  name: 'names',
  providerSpec: {},
  start: async () => {},
  createMachine: async (request) => {
    const { name } = request.machine.metadata;
    const providerID = `names:///${projectOf(request)}/${name}`;
    if (!vms.has(providerID)) vms.set(providerID, { providerID, machineName: name, created: Date.now() });
    return answerTo(request);
  },
  getMachineStatus: async (request) => answerTo(request),
  deleteMachine: async ({ machine: { spec } }) => {
    deleted.push(spec.providerID ?? '');
    vms.delete(spec.providerID ?? '');
    return {};
  },
  listMachines: async (request) => [...vms.values()].filter(({ owner }) => owner?.namespace === projectOf(request)),
};

const nodeNamed = (name: string): Promise<Node> => victim.api.get(nodes, { name });
const makeNode = (name: string, providerID: string, labels: Record<string, string> = {}) =>
  victim.api.create(nodes, { metadata: { name, labels }, spec: { providerID } });

/** What could have been done to a Node. */
const standing = ({ metadata, spec }: Node) => ({
  uid: metadata.uid,
  machine: metadata.annotations?.['machine.sapcloud.io/machine'],
  namespace: metadata.annotations?.['machine.sapcloud.io/cluster-namespace'],
  deleting: metadata.deletionTimestamp,
  cordoned: spec?.unschedulable,
  evil: spec?.taints?.some(({ key }) => key === TAINT.key) ?? false,
});

/** A Machine of the tenant that claims a VM, and the Node of this name. */
function claiming(name: string, providerID: string, node: string) {
  const { spec, ...rest } = mallory.alone(name, 'small', { node, 'force-deletion': 'True' });
  return { ...rest, spec: { ...(spec as object), providerID, nodeTemplate: { spec: { taints: [TAINT] } } } };
}

/** Puts a VM into the tenant's list whose mark names a Machine that is not there. */
async function orphan(providerID: string, namespace: string, name: string): Promise<void> {
  const incarnation = await incarnationOf(victim);
  const owner = { installation: incarnation, namespace, name, uid: `uid-${name}` };
  vms.set(providerID, { providerID, machineName: name, created: OLD, incarnation, owner });
}

const whenDeleted = (id: string) => victim.eventually(`${id} to be swept`, async () => deleted.includes(id));

beforeAll(async () => {
  cluster = await clusterFor({ mallorys: mallory, victim });
  for (const herd of [mallory, victim]) await herd.makeClass('small', {}, 'names');
  const flags = ['--machine-safety-orphan-vms-period=1s', '--orphan-grace-period=0s'];
  controller = await startInProcess(new Herd().settle(cluster, ''), driver, { flags });
  await victim.apply(victim.alone('db-0', 'small'));
  await victim.eventually('the victim’s VM', async () => vms.size > 0);
  await makeNode('db-0', `names:///${victim.namespace}/db-0`);
  const recorded = async () => standing(await nodeNamed('db-0')).namespace === victim.namespace;
  await victim.eventually('the record on its Node', recorded);
}, 120_000);

afterAll(async () => {
  controller?.end();
  await cluster?.end();
});

test.each<[string, string, Record<string, string>]>([
  ['that has no machine', 'web-0', {}],
  ['of a control plane', 'cp-1', CONTROL_PLANE],
])('a VM of one’s own gets no Node %s by having its name (0028 T6)', async (_what, name, labels) => {
  const before = standing(await makeNode(name, `names:///admins/${name}`, labels));
  const providerID = `names:///${mallory.namespace}/${name}`;
  vms.set(providerID, { providerID, machineName: name, created: OLD });
  await mallory.apply(claiming(name, providerID, name));
  const decided = async () =>
    (await mallory.kubectl('get', `mc/${name}`, '-o', 'jsonpath={.status.currentStep.name}')) !== '';
  await mallory.eventually('the claim to be judged', decided);
  await mallory.eventually('the VM to be confirmed', async () => vms.get(providerID)?.owner !== undefined);
  await mallory.kubectl('delete', `mc/${name}`, '--timeout=30s');
  expect(deleted).toContain(providerID);
  expect(standing(await nodeNamed(name))).toEqual(before);
});

test('who names another’s VM in its own words is not told whose it is (0028 T14)', async () => {
  await mallory.apply(claiming('curious', `names:///${victim.namespace}/db-0`, 'db-0'));
  await mallory.whenDecided('curious', 'VMClaimedByAnother');
  const said = await mallory.kubectl('get', 'mc/curious', '-o', 'jsonpath={.status}');
  expect(said).toContain('is that of a Machine of another namespace');
  expect(said).not.toContain(`Machine ${victim.namespace}`);
  await mallory.kubectl('delete', 'mc/curious', '--timeout=30s');
});

test('a list that says that it has a VM of the Node’s id has the sweep delete no Node of others (0028 T6)', async () => {
  const [ours, id] = [standing(await nodeNamed('db-0')), `names:///${victim.namespace}/db-0`];
  const crown = standing(await makeNode('cp-0', 'names:///admins/cp-0', CONTROL_PLANE));
  const real = vms.get(id);
  await orphan(id, mallory.namespace, 'lost');
  await orphan('names:///admins/cp-0', mallory.namespace, 'crown');
  await Promise.all([whenDeleted(id), whenDeleted('names:///admins/cp-0')]);
  if (real) vms.set(id, real);
  expect(standing(await nodeNamed('db-0'))).toEqual(ours);
  expect(standing(await nodeNamed('cp-0'))).toEqual(crown);
});

test('an orphan is swept whoever names it, or has its name, elsewhere (0028 T12)', async () => {
  const id = `names:///${victim.namespace}/gone`;
  await mallory.apply(claiming('sparing', id, 'nowhere'));
  await mallory.apply({ ...mallory.alone('gone', 'none'), metadata: { name: 'gone' } });
  await orphan(id, victim.namespace, 'gone');
  await whenDeleted(id);
});
