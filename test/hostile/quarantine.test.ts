import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { MachineRequest, RunningDriver, VmAnswer } from '../../controller/drivers/sdk/driver.ts';
import { DriverError } from '../../controller/drivers/sdk/errors.ts';
import { ownerIn } from '../../controller/drivers/sdk/vmstatus.ts';
import { nodes } from '../../controller/runtime/k8s/core.ts';
import type { OwnCluster } from '../api/support/controlplane.ts';
import { Herd } from '../api/support/herd.ts';
import { type OwnController, startInProcess } from '../api/support/inprocesscontroller.ts';
import { clusterFor } from './tenants.ts';

/**
 * A tenant lets a Machine go with its VM kept, and makes it anew without the label `node`, so that its Node is not seen when the VM
 * is confirmed, with a template that asks for what an admin had put on the Node (hack/decisions/0028 T23).
 */

setDefaultTimeout(180_000);

const mallory = new Herd();
const vms = new Map<string, VmAnswer>();
const QUARANTINE = { key: 'quarantine.example.com/held', value: 'true', effect: 'NoExecute' };
let cluster: OwnCluster;
let controller: OwnController;

const idOf = (name: string): string => `names:///${mallory.namespace}/${name}`;
const idIn = ({ machine: { spec, metadata } }: MachineRequest): string => spec.providerID ?? idOf(metadata.name);

function answerTo(request: MachineRequest): VmAnswer {
  const vm = vms.get(idIn(request));
  if (!vm) throw new DriverError('NotFound', 'there is no such VM');
  return vm;
}

/** Of a cloud that has no marks until somebody asks for one. */
const driver: RunningDriver = {
  name: 'names',
  providerSpec: {},
  start: async () => {},
  createMachine: async (request) => {
    const vm = { providerID: idIn(request), nodeName: request.machine.metadata.name };
    vms.set(vm.providerID, vm);
    return vm;
  },
  getMachineStatus: async (request) => answerTo(request),
  claimMachine: async (request) => {
    const vm = { ...answerTo(request), owner: ownerIn(request) };
    vms.set(vm.providerID, vm);
    return vm;
  },
  retainMachine: async () => {},
  deleteMachine: async ({ machine: { spec } }) => {
    vms.delete(spec.providerID ?? '');
    return {};
  },
};

const taintsOf = async (name: string) =>
  (await mallory.api.get(nodes, { name })).spec?.taints?.map(({ key }) => key) ?? [];

/** A Machine that stays without its VM; its label `round` tells on the Node which of its templates was applied. */
function asking(
  name: string,
  round: string,
  { taints = [] as object[], providerID = undefined as string | undefined },
) {
  const { spec, ...rest } = mallory.alone(name, 'small');
  const nodeTemplate = { metadata: { labels: { round } }, spec: { taints } };
  return { ...rest, spec: { ...(spec as object), providerID, deletionPolicy: 'Retain', nodeTemplate } };
}

const whenApplied = (name: string, round: string) =>
  mallory.eventually(`round ${round} on the Node`, async () => {
    const { metadata } = await mallory.api.get(nodes, { name });
    return metadata.labels?.['round'] === round;
  });

beforeAll(async () => {
  cluster = await clusterFor({ mallorys: mallory });
  await mallory.makeClass('small', {}, 'names');
  controller = await startInProcess(new Herd().settle(cluster, ''), driver, {});
}, 120_000);

afterAll(async () => {
  controller?.end();
  await cluster?.end();
});

test.each([
  ['by the id of its VM', 'q-0', true],
  ['by its name alone', 'q-1', false],
])('a taint of an admin outlives a Machine that is made anew %s', async (_what, name, isNamed) => {
  await mallory.apply(asking(name, '1', {}));
  await mallory.eventually('the VM to be there', async () => vms.has(idOf(name)));
  await mallory.api.create(nodes, { metadata: { name }, spec: { providerID: idOf(name) } });
  await whenApplied(name, '1');
  await mallory.kubectl('taint', 'node', name, 'quarantine.example.com/held=true:NoExecute');
  await mallory.kubectl('delete', `mc/${name}`, '--timeout=30s');

  // Times of creation are whole seconds.
  await Bun.sleep(1_500);
  const providerID = isNamed ? idOf(name) : undefined;
  await mallory.apply(asking(name, '2', { providerID, taints: [QUARANTINE] }));
  await whenApplied(name, '2');
  await mallory.apply(asking(name, '3', { providerID }));
  await whenApplied(name, '3');
  expect(await taintsOf(name)).toContain(QUARANTINE.key);
});
