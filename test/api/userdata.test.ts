import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { MachineRequest, RunningDriver } from '../../controller/drivers/sdk/driver.ts';
import { DriverError } from '../../controller/drivers/sdk/errors.ts';
import { type Secret, secrets } from '../../controller/runtime/k8s/core.ts';
import { resources } from '../../schemas/kinds.ts';
import { controlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';
import { type OwnController, startInProcess } from './support/inprocesscontroller.ts';

setDefaultTimeout(180_000);

const herd = new Herd();
let controller: OwnController;

/** What the driver was given: user data and memo of each call that makes or finishes a VM. */
const given: Array<{ method: string; userData: string | undefined; memo: string | undefined }> = [];

const note = (method: string, { secret, machine }: MachineRequest): number =>
  given.push({ method, userData: secret['userData'], memo: machine.status?.lastKnownState });

/** A driver whose first creation fails; VMs are to be initialized, and their Nodes never come. */
const driver: RunningDriver = {
  name: 'noting',
  providerSpec: {},
  start: async () => {},
  createMachine: async (request) => {
    if (note('create', request) === 1)
      throw new DriverError('Unavailable', 'away', { known: { lastKnownState: 'begun' } });
    return { providerID: `noting:///${request.token}`, nodeName: 'n', lastKnownState: 'made' };
  },
  initializeMachine: async (request) => {
    note('initialize', request);
    return { providerID: `noting:///${request.token}`, nodeName: 'n' };
  },
  getMachineStatus: async () => {
    throw new DriverError('NotFound', 'none');
  },
  deleteMachine: async () => ({}),
};

beforeAll(async () => {
  const cluster = await controlPlane();
  herd.settle(cluster, await cluster.namespace('userdata'));
  const userData = 'I am <<MACHINE_NAME>>, let me in: %3C%3CBOOTSTRAP_TOKEN%3E%3E';
  await herd.kubectl('create', 'secret', 'generic', 'asks', `--from-literal=userData=${userData}`);
  await herd.apply({
    apiVersion: 'machine.sapcloud.io/v1alpha1',
    kind: 'MachineClass',
    metadata: { name: 'asks' },
    provider: 'noting',
    providerSpec: {},
    secretRef: { name: 'asks' },
  });
});

afterAll(async () => {
  await herd.kubectl('delete', 'mc', '--all', '--timeout=45s');
  controller.end();
});

const tokens = async (): Promise<Secret[]> =>
  (
    await herd.api.list(secrets, {
      namespace: 'kube-system',
      labelSelector: `drover.dev/machine-namespace=${herd.namespace}`,
    })
  ).items;

test('a new VM gets the Machine’s name, token and memo, the same ones after a restart (hack/spec/mcm.md 6.4, 6.4a)', async () => {
  controller = await startInProcess(herd, driver);
  await herd.apply(herd.alone('m', 'asks'));
  const memo = async () =>
    (await herd.api.get(resources.machines, { namespace: herd.namespace, name: 'm' })).status?.lastKnownState;
  await herd.eventually('the first memo', async () => (await memo()) === 'begun');
  const { log } = controller;
  controller.end();
  controller = await startInProcess(herd, driver);
  await herd.eventually('the VM to be finished', async () => given.at(-1)?.method === 'initialize');
  const [token, ...others] = await tokens();
  const text = ['token-id', 'token-secret'].map((key) => atob(token?.data?.[key] ?? '')).join('.');
  const userData = `I am m, let me in: ${text}`;
  expect(given).toEqual([
    { method: 'create', userData, memo: undefined },
    { method: 'create', userData, memo: 'begun' },
    { method: 'initialize', userData, memo: 'made' },
  ]);
  expect(others).toEqual([]);
  await herd.eventually('the last memo', async () => (await memo()) === 'made');
  expect(JSON.stringify([log.lines, controller.log.lines])).not.toContain(text.slice(7));
});
