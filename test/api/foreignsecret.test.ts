import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { ClassRequest, RunningDriver } from '../../controller/drivers/sdk/driver.ts';
import { DriverError } from '../../controller/drivers/sdk/errors.ts';
import { Api } from '../../controller/runtime/client/api.ts';
import { systemClock as clock } from '../../controller/runtime/clock.ts';
import { secrets } from '../../controller/runtime/k8s/core.ts';
import { ANNOTATION_CLASS, FINALIZER, SECRET_FINALIZER } from '../../schemas/keys.ts';
import { resources } from '../../schemas/kinds.ts';
import { type OwnCluster, ownControlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';
import { type OwnController, startInProcess } from './support/inprocesscontroller.ts';

/**
 * hack/decisions/0028 W3: whatever a class or the record of one says, no Secret of another namespace reaches a driver,
 * and none gets a finalizer. No webhook guards anything here.
 */

setDefaultTimeout(180_000);

const KEY = 'AKIA-victims-key';
/** Namespaces of a tenant, and of the one whose Secret he is after. */
const THIEF = 'thief';
const VICTIM = 'victim';

const herd = new Herd();
const called: Array<{ method: string; request: ClassRequest }> = [];
let cluster: OwnCluster;
let controller: OwnController;

/** Notes what it is handed, and knows no VM. */
const witness: RunningDriver = {
  name: 'virtual',
  providerSpec: { type: 'object' },
  start: async () => {},
  createMachine: (request) => refuse('createMachine', request),
  deleteMachine: async (request) => note('deleteMachine', request),
  getMachineStatus: (request) => refuse('getMachineStatus', request),
  listMachines: async (request) => {
    note('listMachines', request);
    return [];
  },
};

function note(method: string, request: ClassRequest): Record<string, never> {
  called.push({ method, request });
  return {};
}

async function refuse(method: string, request: ClassRequest): Promise<never> {
  note(method, request);
  throw new DriverError('NotFound', 'there is no VM');
}

const reference = (namespace: string) => ({ name: 'cloud', namespace });
const classSpec = (namespace: string) => ({
  provider: 'virtual',
  providerSpec: {},
  secretRef: reference(namespace),
});

/** Makes a class whose Secret is in a namespace. */
const makeClass = (name: string, namespace: string) =>
  herd.apply({
    apiVersion: 'machine.sapcloud.io/v1alpha1',
    kind: 'MachineClass',
    metadata: { name },
    ...classSpec(namespace),
  });

const api = () => new Api({ connection: cluster.admin, clock });
const finalizersOf = async (namespace: string) =>
  (await api().get(secrets, { namespace, name: 'cloud' })).metadata.finalizers ?? [];

beforeAll(async () => {
  cluster = await ownControlPlane();
  herd.settle(cluster, THIEF);
  for (const name of [THIEF, VICTIM]) {
    const { code, stderr } = await cluster.kubectl(['create', 'namespace', name]);
    if (code !== 0) throw new Error(stderr);
  }
  await api().create(secrets, { metadata: reference(VICTIM), data: { accessKey: btoa(KEY) } });
  controller = await startInProcess(herd, witness, {
    flags: ['--namespace=', '--machine-safety-orphan-vms-period=1s'],
  });
});

afterAll(async () => {
  controller?.end();
  await cluster?.end();
});

/** Nothing that any driver was handed until now tells the victim's key, and the Secret is as it was. */
async function expectUntouched(): Promise<void> {
  const told = called.filter(({ request }) => JSON.stringify(request.secret).includes(KEY));
  expect(told.map(({ method }) => method)).toEqual([]);
  expect(await finalizersOf(VICTIM)).toEqual([]);
}

// hack/decisions/0051 L19
test('a class that names a Secret of another namespace makes nothing, and its machines say why (0028 W3)', async () => {
  await makeClass('lent', VICTIM);
  await herd.apply(herd.alone('m', 'lent'));
  await herd.whenDecided('m', 'RefNotPermitted');
  const said = await herd.said('m', 'ClassReady');
  expect(said).toContain('Secret "victim/cloud" is not read');
  await herd.kubectl(
    'wait',
    'mcc/lent',
    '--for=jsonpath={.status.conditions[0].reason}=RefNotPermitted',
    '--timeout=45s',
  );
  await expectUntouched();
  await herd.kubectl('delete', 'mc/m', '--timeout=45s');
  expect(called).toEqual([]);
});

test('a record of a class that never was does not lend the eyes of the controller either (0028 W3)', async () => {
  const record = JSON.stringify(classSpec(VICTIM));
  const manifest = herd.alone('forged', 'ghost');
  const metadata = { name: 'forged', annotations: { [ANNOTATION_CLASS]: record }, finalizers: [FINALIZER] };
  await herd.apply({
    ...manifest,
    metadata,
    spec: { class: { name: 'ghost' }, providerID: 'virtual:///of-the-victim' },
  });
  await herd.kubectl('delete', 'mc/forged', '--wait=false');
  await herd.whenDecided('forged', 'RefNotPermitted');
  await expectUntouched();
  expect(called).toEqual([]);
  const { items } = await api().list(resources.machines, { namespace: THIEF });
  expect(items.map(({ metadata: { name } }) => name)).toEqual(['forged']);
});

test('a legacy class that names its own namespace works, and its Secret is held (0028 W3)', async () => {
  await api().create(secrets, { metadata: reference(THIEF), data: { accessKey: btoa('own') } });
  await makeClass('legacy', THIEF);
  await herd.apply(herd.alone('own', 'legacy'));
  await herd.eventually('the driver to be asked', async () =>
    called.some(({ method, request }) => method === 'createMachine' && request.secret['accessKey'] === 'own'),
  );
  expect(await finalizersOf(THIEF)).toEqual([SECRET_FINALIZER]);
  await expectUntouched();
});
