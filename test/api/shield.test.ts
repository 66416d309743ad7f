import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Api } from '../../controller/runtime/client/api.ts';
import { systemClock as clock } from '../../controller/runtime/clock.ts';
import { builtGo, canBuildGo } from '../../hack/tools/gomodule.ts';
import { run } from '../../hack/tools/run.ts';
import { apiVersion, resources } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import { type OwnCluster, ownControlPlane } from './support/controlplane.ts';
import { admitHerders, startRegistered, type WebhookProcess } from './support/webhookprocess.ts';

/** What the mutating webhook does to objects that real clients write: MCM's own Go types, kubectl, our controller. */

let cluster: OwnCluster;
let webhook: WebhookProcess;
let namespace: string;
/** As the controller writes: under the name of a field manager. */
let api: Api;

beforeAll(async () => {
  cluster = await ownControlPlane();
  namespace = await cluster.namespace('shield');
  api = new Api({ connection: cluster.admin, clock, fieldManager: 'drover-controller' });
  await admitHerders(cluster, namespace);
  webhook = await startRegistered(cluster);
}, 180_000);

afterAll(async () => {
  await webhook?.stop();
  await cluster?.end();
});

const labels = { app: 'herd' };

/** One field of each shape: text, a default that is not the usual one, an object, lists. */
const superset = {
  powerState: 'PoweredOn',
  deletionPolicy: 'Retain',
  powerOffMode: 'Hard',
  network: { interfaces: [{ name: 'eth0', addresses: ['10.0.0.5/24'] }] },
  taints: [{ key: 'example.io/own', effect: 'NoSchedule' }],
  versions: { kubelet: 'v1.36.2' },
} as const;

const spec = { class: { kind: 'MachineClass', name: 'small' }, drainTimeout: '5m', ...superset };
const status = {
  currentStatus: { phase: 'Running' },
  nodeRef: { name: 'node-1' },
  host: 'host-1',
  deletion: { startedAt: '2026-01-01T00:00:00Z' },
  currentStep: { name: 'Reconciled', reason: 'Running' },
} as const;

const machineOf = (name: string, more: object = {}) =>
  ({ apiVersion, kind: 'Machine', metadata: { namespace, name, labels, ...more }, spec }) as unknown as Machine;
const deploymentOf = (name: string) =>
  ({
    apiVersion,
    kind: 'MachineDeployment',
    metadata: { namespace, name },
    spec: { replicas: 3, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  }) as unknown as MachineDeployment;

async function machineWithStatus(name: string, more: object = {}): Promise<Machine> {
  await api.create(resources.machines, machineOf(name, more));
  const patch = { type: 'merge', body: { status } } as const;
  return api.patch(resources.machines, { namespace, name }, patch, { subresource: 'status' });
}

const kubectl = (args: string[], object?: object) =>
  cluster.kubectl(['-n', namespace, '--as=alice', ...args], { stdin: object ? JSON.stringify(object) : '' });
const deployment = (name: string) => api.get(resources.machineDeployments, { namespace, name });
const machine = (name: string) => api.get(resources.machines, { namespace, name });

describe.skipIf(!canBuildGo)("a program with MCM's own Go types loses nothing", () => {
  let mcm: GoClient;

  beforeAll(async () => {
    mcm = await goClient(cluster.kubeconfig);
  }, 600_000);

  test('of a deployment that it scales', async () => {
    await api.create(resources.machineDeployments, deploymentOf('scaled'));
    const warnings = await mcm.run(namespace, 'scale', 'scaled', '5');
    const after = await deployment('scaled');
    expect(after.spec.replicas).toBe(5);
    expect(after.spec.template.spec).toMatchObject(superset);
    for (const field of Object.keys(superset)) expect(warnings.join()).toContain(`spec.template.spec.${field}`);
  });

  test('of a deployment that it scales to 0, which its types leave out', async () => {
    await api.create(resources.machineDeployments, deploymentOf('emptied'));
    await mcm.run(namespace, 'scale', 'emptied', '0');
    expect((await deployment('emptied')).spec).toMatchObject({ replicas: 0, template: { spec: superset } });
  });

  test('of a machine that it labels', async () => {
    const before = await machineWithStatus('labelled');
    const warnings = await mcm.run(namespace, 'label', 'labelled', 'adopted', 'yes');
    const after = await machine('labelled');
    expect(after.metadata.labels).toEqual({ ...labels, adopted: 'yes' });
    expect(after.spec).toMatchObject({ class: spec.class, ...superset });
    expect(after.status).toEqual(before.status);
    expect(warnings.join()).not.toContain('status.');
  });

  test('of the status of a machine that it deleted', async () => {
    const before = await machineWithStatus('deleted', { finalizers: ['example.io/hold'] });
    await api.delete(resources.machines, { namespace, name: 'deleted' });
    const warnings = await mcm.run(namespace, 'terminate', 'deleted');
    const after = await machine('deleted');
    expect(after.status).toMatchObject({ ...status, currentStatus: { phase: 'Terminating' } });
    expect(after.spec).toEqual(before.spec);
    for (const field of ['nodeRef', 'host', 'deletion', 'currentStep'])
      expect(warnings.join()).toContain(`status.${field}`);
  });

  test('of a machine that is being deleted, such as that its VM is to be retained', async () => {
    await machineWithStatus('leaving', { finalizers: ['example.io/hold'] });
    await api.delete(resources.machines, { namespace, name: 'leaving' });
    await mcm.run(namespace, 'label', 'leaving', 'seen', 'yes');
    expect((await machine('leaving')).spec).toMatchObject(superset);
  });
});

describe('whoever knows the fields decides', () => {
  test('kubectl patch removes one', async () => {
    await machineWithStatus('patched');
    await kubectl(['patch', 'mc', 'patched', '--type=merge', '-p', '{"spec":{"network":null,"deletionPolicy":null}}']);
    const { spec: after } = await machine('patched');
    expect(after.network).toBeUndefined();
    expect(after.deletionPolicy).toBe('Delete');
  });

  test('kubectl apply removes one', async () => {
    await kubectl(['apply', '-f', '-'], machineOf('applied'));
    const { network: _network, ...without } = spec;
    const { stderr } = await kubectl(['apply', '-f', '-'], { ...machineOf('applied'), spec: without });
    expect(stderr).toBe('');
    expect((await machine('applied')).spec.network).toBeUndefined();
  });

  test('kubectl replace is told how', async () => {
    await kubectl(['create', '-f', '-'], machineOf('replaced'));
    const { network: _network, ...without } = spec;
    const { stderr } = await kubectl(['replace', '-f', '-'], { ...machineOf('replaced'), spec: without });
    expect(stderr).toContain('Warning: kept spec.network: the request left this out');
    expect(stderr).toContain('use kubectl patch or kubectl apply');
    expect<object>((await machine('replaced')).spec).toMatchObject(superset);
  });

  test('our own controller clears its status by PATCH', async () => {
    await machineWithStatus('cleared');
    const patch = { type: 'merge', body: { status: { deletion: null, nodeRef: null } } } as const;
    await api.patch(resources.machines, { namespace, name: 'cleared' }, patch, { subresource: 'status' });
    const { deletion, nodeRef, host } = (await machine('cleared')).status ?? {};
    expect([deletion, nodeRef, host]).toEqual([undefined, undefined, 'host-1']);
  });
});

describe('who made an object', () => {
  const CREATED_BY = 'drover.dev/created-by';
  const creatorOf = async (name: string) => (await machine(name)).metadata.annotations?.[CREATED_BY];

  test('is written down, and stays through kubectl replace and apply', async () => {
    await kubectl(['create', '-f', '-'], machineOf('made', { annotations: { [CREATED_BY]: 'mallory' } }));
    expect(await creatorOf('made')).toBe('alice');
    await kubectl(['replace', '-f', '-'], machineOf('made'));
    expect(await creatorOf('made')).toBe('alice');
    await kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], machineOf('made'));
    expect(await creatorOf('made')).toBe('alice');
  });

  test('is not changed by anybody', async () => {
    await kubectl(['create', '-f', '-'], machineOf('kept'));
    const { code, stderr } = await kubectl(['annotate', 'mc', 'kept', '--overwrite', `${CREATED_BY}=mallory`]);
    expect(code).toBe(1);
    expect(stderr).toContain(`metadata.annotations[${CREATED_BY}]: is written by the webhook alone`);
  });
});

test('a restart now has the moment of its admission', async () => {
  await api.create(resources.machines, machineOf('restarted'));
  const { code } = await kubectl([
    'patch',
    'mc',
    'restarted',
    '--type=merge',
    '-p',
    '{"spec":{"nextRestartTime":"now"}}',
  ]);
  expect(code).toBe(0);
  expect((await machine('restarted')).spec.nextRestartTime).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/);
});

/** Writes with MCM's own Go types. */
interface GoClient {
  /** Does a deed (see goclient/main.go) in a namespace, and returns what the API server warned of. Throws when refused. */
  run(namespace: string, ...deed: string[]): Promise<string[]>;
}

/** Builds the program, unless an earlier run built it from the same sources, to be run with this kubeconfig. */
async function goClient(kubeconfig: string): Promise<GoClient> {
  const program = await builtGo({ name: 'goclient', folder: join(import.meta.dir, 'support/goclient') });
  return {
    async run(namespace, ...deed) {
      const printed = await run([program, kubeconfig, namespace, ...deed]);
      return printed.split('\n').filter(Boolean);
    },
  };
}
