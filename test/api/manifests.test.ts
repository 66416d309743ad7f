import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { call } from '../../hack/controlplane/call.ts';
import { examplesFolder, type Manifest, readExamples } from '../../schemas/examples.fixture.ts';
import { apiVersionOf } from '../../schemas/kind.ts';
import { apiVersion, kinds } from '../../schemas/kinds.ts';
import { controlPlane } from './support/controlplane.ts';

const cluster = await controlPlane();
const { admin, kubectl } = cluster;
const examples = await readExamples();

function pathOf(namespace: string, kind: string): string {
  const known = kinds.find((one) => one.kind === kind);
  if (!known) throw new Error(`${kind} is no kind of ours`);
  return `/apis/${apiVersionOf(known)}/namespaces/${namespace}/${known.plural}`;
}

const stored = (namespace: string, { kind, metadata: { name } }: Manifest): Promise<unknown> =>
  call(admin, { path: `${pathOf(namespace, kind)}/${name}` });

/** kubectl leaves nulls out of what it sends. */
const withoutNulls = (object: Manifest): Manifest =>
  JSON.parse(JSON.stringify(object, (_key, value) => (value === null ? undefined : value)));

describe.each(examples.map(({ file, objects }) => ({ file, objects })))('the example $file', ({ file, objects }) => {
  test.each([
    ['kubectl apply', []],
    ['server-side apply', ['--server-side']],
  ])('is applied by %s and kept as it is', async (_way, flags) => {
    const namespace = await cluster.namespace('example');
    const args = ['apply', '-n', namespace, '--validate=strict', ...flags, '-f', join(examplesFolder, file)];
    expect(await kubectl(args)).toMatchObject({ code: 0, stderr: '' });
    for (const object of objects.filter((object) => kinds.map(apiVersionOf).includes(object.apiVersion))) {
      expect(await stored(namespace, object)).toMatchObject(withoutNulls(object));
    }
    expect(await kubectl(args)).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('the API server fills in', () => {
  const modes = { deletionPolicy: 'Delete', powerOffMode: 'TrySoft', suspendMode: 'TrySoft', restartMode: 'TrySoft' };
  const rolling = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
  const ready = { minReadySecondsPolicy: 'Ignore' };
  const template = { spec: modes };

  test.each([
    ['Machine', {}, { spec: modes }],
    ['MachineSet', {}, { spec: { template, ...ready } }],
    ['MachineDeployment', { spec: { template: {} } }, { spec: { template, ...ready, strategy: rolling } }],
    [
      'MachineDeployment',
      { spec: { template: {}, strategy: {} } },
      { spec: { template, ...ready, strategy: { type: 'RollingUpdate' } } },
    ],
    [
      'MachineDeployment',
      { spec: { template: {}, strategy: { type: 'InPlaceUpdate', inPlaceUpdate: {} } } },
      {
        spec: {
          template,
          ...ready,
          strategy: {
            type: 'InPlaceUpdate',
            inPlaceUpdate: { maxSurge: 1, maxUnavailable: 0, orchestrationType: 'Auto' },
          },
        },
      },
    ],
  ])('what a %s leaves out: %j', async (kind, given, filled) => {
    const namespace = await cluster.namespace('defaults');
    const body = { apiVersion, kind, metadata: { name: 'a' }, ...given };
    const { metadata: _, ...made } = (await call(admin, {
      method: 'POST',
      path: pathOf(namespace, kind),
      body,
    })) as Manifest;
    expect(made as object).toEqual({ apiVersion, kind, ...filled });
  });
});

/** What a Go client writes for a value that it did not set: zero times and nil pointers are null, structs are empty. */
const never = null;
const goMeta = { creationTimestamp: never };
const goSpec = { class: {}, nodeTemplate: { metadata: goMeta, spec: {} } };
const goTemplate = {
  metadata: { ...goMeta, labels: { a: 'b' } },
  spec: { ...goSpec, class: { kind: 'MachineClass', name: 'c' } },
};
const goOperation = { lastUpdateTime: never };

const goObjects: Array<[kind: string, rest: Record<string, unknown>]> = [
  [
    'Machine',
    {
      spec: goSpec,
      status: {
        addresses: null,
        conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: never, lastTransitionTime: never }],
        lastOperation: goOperation,
        currentStatus: { phase: '', timeoutActive: false, lastUpdateTime: never, preserveExpiryTime: null },
      },
    },
  ],
  [
    'MachineSet',
    {
      spec: { replicas: 0, selector: null, machineClass: {}, template: goTemplate },
      status: {
        replicas: 0,
        machineSetCondition: null,
        lastOperation: goOperation,
        failedMachines: [{ name: 'm', ownerRef: 'a', lastOperation: goOperation }],
      },
    },
  ],
  [
    'MachineDeployment',
    {
      spec: { selector: null, template: goTemplate, strategy: {}, revisionHistoryLimit: null, rollbackTo: null },
      status: {
        conditions: [{ type: 'Available', status: 'True', lastUpdateTime: never, lastTransitionTime: never }],
        collisionCount: null,
        failedMachines: null,
      },
    },
  ],
  [
    'MachineClass',
    { provider: '', providerSpec: { ami: null }, secretRef: null, credentialsSecretRef: {}, nodeTemplate: null },
  ],
];

describe('a typed Go client', () => {
  test.each(goObjects)('writes a %s with all its nulls and empty structs', async (kind, rest) => {
    const namespace = await cluster.namespace('typed');
    const path = pathOf(namespace, kind);
    const object = { apiVersion, kind, metadata: { name: 'a', ...goMeta }, ...rest };
    const made = (await call(admin, { method: 'POST', path, body: object })) as Manifest;
    const next = { ...object, metadata: { ...made.metadata, finalizers: ['example.com/kept'] } };
    const replaced = (await call(admin, { method: 'PUT', path: `${path}/a`, body: next })) as Manifest;
    if (rest['status'] === undefined) return;
    const last = { ...next, metadata: replaced.metadata };
    const reported = await call(admin, { method: 'PUT', path: `${path}/a/status`, body: last });
    expect(JSON.stringify((reported as Manifest)['status'])).not.toContain('null');
  });
});
