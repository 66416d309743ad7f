import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { MachineRequest, RunningDriver, VmAnswer } from '../../controller/drivers/sdk/driver.ts';
import { DriverError } from '../../controller/drivers/sdk/errors.ts';
import { ownerIn } from '../../controller/drivers/sdk/vmstatus.ts';
import { nodes } from '../../controller/runtime/k8s/core.ts';
import { type OwnCluster, ownControlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';
import { type OwnController, startInProcess } from './support/inprocesscontroller.ts';

/**
 * Members of a control plane that a machine-controller-manager made, or that joined while no controller ran: the policies
 * of the API server keep the controller from claiming their Nodes (hack/decisions/0028 M12, M13).
 */

setDefaultTimeout(180_000);

const herd = new Herd();
const LABELS = { 'node-role.kubernetes.io/control-plane': '' };
/** Names of Machines that have a VM. */
const vms = new Set<string>();
let cluster: OwnCluster;
let controller: OwnController;

const idOf = ({ metadata: { name } }: MachineRequest['machine']): string => `plain:///${name}`;

/** VMs whose names begin with `marked` tell whose they are, all others nothing, as MCM's. */
function answerTo(request: MachineRequest): VmAnswer {
  const { name } = request.machine.metadata;
  if (!vms.has(name)) throw new DriverError('NotFound', 'there is no such VM');
  const mark = name.startsWith('marked') ? { owner: ownerIn(request) } : {};
  return { providerID: idOf(request.machine), nodeName: name, ...mark };
}

const driver: RunningDriver = {
  name: 'plain',
  providerSpec: {},
  start: async () => {},
  createMachine: async (request) => {
    vms.add(request.machine.metadata.name);
    return answerTo(request);
  },
  getMachineStatus: async (request) => answerTo(request),
  deleteMachine: async ({ machine }) => {
    vms.delete(machine.metadata.name);
    return {};
  },
};

const nodeNames = async () => (await herd.api.list(nodes)).items.map(({ metadata }) => metadata.name);
const eventNotes = () => herd.events();

/** A Machine that runs, and whose Node is a member that nobody has claimed. */
async function member(name: string): Promise<void> {
  const { items } = await herd.api.list(nodes);
  if (items.some(({ metadata }) => metadata.name === name)) throw new Error(`Node ${name} is there already`);
  const status = { conditions: [{ type: 'Ready', status: 'True' as const }] };
  const joined = await herd.api.create(nodes, {
    metadata: { name, labels: LABELS },
    spec: { providerID: `plain:///${name}` },
  });
  await herd.api.patch(nodes, joined.metadata, { type: 'merge', body: { status } }, { subresource: 'status' });
  await herd.apply(herd.alone(name, 'plain'));
  await herd.kubectl('wait', `mc/${name}`, '--for=jsonpath={.status.currentStatus.phase}=Running', '--timeout=30s');
}

const leave = (name: string) => herd.kubectl('delete', `mc/${name}`, '--wait=false');
const whenGone = (name: string) => herd.kubectl('wait', `mc/${name}`, '--for=delete', '--timeout=30s');
const whenHeld = (name: string) =>
  herd.kubectl('wait', `mc/${name}`, '--for=jsonpath={.status.currentStep.reason}=ControlPlaneNode', '--timeout=30s');

beforeAll(async () => {
  cluster = await ownControlPlane();
  herd.settle(cluster, await cluster.namespace('members'));
  await herd.makeClass('plain', {}, 'plain');
  controller = await startInProcess(herd, driver);
}, 120_000);

afterAll(async () => {
  controller?.end();
  await cluster?.end();
});

test('one without a mark goes once somebody has recorded it by hand, as its machine advises (0028 M12)', async () => {
  await member('old');
  await herd.kubectl('wait', 'mc/old', '--for=condition=NodeSynced=False', '--timeout=45s');
  await leave('old');
  await whenHeld('old');
  const path = 'jsonpath={.status.conditions[?(@.type=="VMClaimed")].message}';
  const [advice = ''] = (await herd.kubectl('get', 'mc/old', '-o', path)).match(/annotate node old \S+ \S+(?=;)/) ?? [];
  await herd.kubectl(...advice.split(' '));
  await whenGone('old');
  expect([vms.has('old'), (await nodeNames()).includes('old')]).toEqual([false, false]);
});

test('one without a mark stays, with its VM, when its machine goes by force (0028 M12)', async () => {
  await member('kept');
  await leave('kept');
  await whenHeld('kept');
  await herd.kubectl('label', 'mc/kept', 'force-deletion=True');
  await whenGone('kept');
  expect([vms.has('kept'), (await nodeNames()).includes('kept')]).toEqual([true, true]);
  await herd.eventually('an event', async () =>
    (await eventNotes()).includes('"kept", a member of a control plane, stay'),
  );
});

test('one with a mark that nobody annotated is left by its machine, whose VM goes (0028 M13)', async () => {
  await member('marked');
  await herd.kubectl('label', 'mc/marked', 'force-deletion=True');
  await leave('marked');
  await whenGone('marked');
  expect([vms.has('marked'), (await nodeNames()).includes('marked')]).toEqual([false, true]);
  await herd.eventually('events', async () => {
    const notes = await eventNotes();
    return notes.includes('NodeDeleted: ') && notes.includes('its Node "marked" stays');
  });
});
