import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { ListedVm, RunningDriver } from '../../controller/drivers/sdk/driver.ts';
import { nodes } from '../../controller/runtime/k8s/core.ts';
import { controlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';
import { type OwnController, startInProcess } from './support/inprocesscontroller.ts';
import { incarnationOf } from './support/strangevms.ts';

setDefaultTimeout(180_000);

const herd = new Herd();
const deleted: string[] = [];
let lists = 0;
let incarnation = '';
let controller: OwnController;
const strayNode = () => `stray-${herd.namespace}`;

const vm = (machineName: string): ListedVm => ({
  providerID: `late:///${machineName}`,
  machineName,
  created: 1,
  incarnation,
});

/** Lists two VMs; the Machine of one of them is made while the list is under way in which it is seen a second time. */
const driver: RunningDriver = {
  name: 'late',
  providerSpec: { type: 'object' },
  start: async () => {},
  createMachine: ({ signal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
  deleteMachine: async ({ machine }) => {
    deleted.push(machine.spec.providerID ?? '');
    return {};
  },
  async listMachines() {
    if (++lists === 2) await herd.apply(herd.alone('late', 'slow'));
    return [vm('late'), vm('never')].filter(({ providerID }) => !deleted.includes(providerID));
  },
};

beforeAll(async () => {
  const cluster = await controlPlane();
  herd.settle(cluster, await cluster.namespace('races'));
  incarnation = await incarnationOf(herd);
  await herd.makeClass('slow', {}, 'late');
  await herd.api.create(nodes, { metadata: { name: strayNode() }, spec: { providerID: 'other:///stray' } });
  const flags = ['--machine-safety-orphan-vms-period=1s', '--machine-creation-timeout=3s'];
  controller = await startInProcess(herd, driver, { flags });
});

afterAll(async () => {
  controller.end();
  await herd.api.delete(nodes, { name: strayNode() });
});

test('a VM whose Machine is made between list and deletion stays; one without any goes (hack/spec/mcm.md 13.3)', async () => {
  await herd.eventually('the orphan to go', async () => deleted.length > 0);
  const before = lists;
  await herd.eventually('more sweeps', async () => lists > before + 3);
  expect(deleted).toEqual(['late:///never']);
  expect((await herd.machines()).map(({ metadata }) => metadata.name)).toEqual(['late']);
});

test('a class tells that its VMs are swept', async () => {
  await herd.kubectl('wait', 'mcc/slow', '--for=condition=OrphanSweepSucceeded', '--timeout=45s');
});

test('a Node without a Machine carries MCM’s mark once it is older than a creation may take (hack/spec/mcm.md 8.3)', async () => {
  const mark = async () =>
    (await herd.api.get(nodes, { name: strayNode() })).metadata.annotations?.[
      'node.machine.sapcloud.io/not-managed-by-mcm'
    ];
  await herd.eventually('the mark', async () => (await mark()) === '1');
});
