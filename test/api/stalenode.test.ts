import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { MachineRequest, RunningDriver } from '../../controller/drivers/sdk/driver.ts';
import { DriverError } from '../../controller/drivers/sdk/errors.ts';
import { nodes } from '../../controller/runtime/k8s/core.ts';
import { controlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';
import { type OwnController, startInProcess } from './support/inprocesscontroller.ts';

setDefaultTimeout(180_000);

const herd = new Herd();
let controller: OwnController;

/** Tokens of the VMs that there are, and how many were made. */
const vms = new Set<string>();
let made = 0;

const answerOf = ({ token }: MachineRequest) => ({
  providerID: `cloud:///${token}`,
  nodeName: `old-${herd.namespace}`,
});

/** A driver that gives each VM the name of a Node that was there before. */
const driver: RunningDriver = {
  name: 'reusing',
  providerSpec: {},
  start: async () => {},
  createMachine: async (request) => {
    vms.add(request.token);
    made += 1;
    return answerOf(request);
  },
  getMachineStatus: async (request) => {
    if (!vms.has(request.token)) throw new DriverError('NotFound', 'there is no such VM');
    return answerOf(request);
  },
  deleteMachine: async ({ token }) => {
    vms.delete(token);
    return {};
  },
};

beforeAll(async () => {
  const cluster = await controlPlane();
  herd.settle(cluster, await cluster.namespace('stale'));
  await herd.api.create(nodes, {
    metadata: { name: `old-${herd.namespace}` },
    spec: { providerID: 'cloud:///another' },
  });
  controller = await startInProcess(herd, driver);
  await herd.makeClass('reusing', {}, 'reusing');
  await Bun.sleep(1_000);
});

afterAll(async () => {
  await herd.kubectl('delete', 'mcs,mc', '--all', '--timeout=45s');
  controller.end();
  await herd.api.delete(nodes, { name: `old-${herd.namespace}` });
});

test('a VM that got the name of another VM’s Node goes, and is replaced with back-off; the Node stays (hack/spec/mcm.md 6.4)', async () => {
  const labels = { pool: 'stale' };
  const template = { metadata: { labels }, spec: { class: { kind: 'MachineClass', name: 'reusing' } } };
  const spec = { replicas: 1, selector: { matchLabels: labels }, template };
  const kind = { apiVersion: 'machine.sapcloud.io/v1alpha1', kind: 'MachineSet' };
  await herd.apply({ ...kind, metadata: { name: 'set' }, spec });
  const failures = async () => (await herd.sets())[0]?.status?.creationBackOff?.failures;
  await herd.eventually('the set to back off', async () => (await failures()) === 2);
  await herd.eventually('machines and VMs to be gone', async () => (await herd.machines()).length + vms.size === 0);
  expect(made).toBe(2);
  const old = await herd.api.get(nodes, { name: `old-${herd.namespace}` });
  expect([old.spec?.providerID, old.metadata.deletionTimestamp]).toEqual(['cloud:///another', undefined]);
});
