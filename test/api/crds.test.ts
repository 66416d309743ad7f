import { describe, expect, test } from 'bun:test';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { call } from '../../hack/controlplane/call.ts';
import { crd, crdName } from '../../schemas/crd.ts';
import { droverGroup, type Kind, machineGroup } from '../../schemas/kind.ts';
import { apiVersion, kinds } from '../../schemas/kinds.ts';
import { controlPlane } from './support/controlplane.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const cluster = await controlPlane();
const { admin, kubectl } = cluster;
const each = kinds.map((kind): [string, Kind] => [kind.kind, kind]);

/** The CRD of a kind under another group, so that it can be made once more. */
function elsewhere(kind: Kind, otherGroup: string): Record<string, unknown> {
  const text = JSON.stringify(crd(kind))
    .replaceAll(`.${kind.group}"`, `.${otherGroup}"`)
    .replaceAll(`"${kind.group}"`, `"${otherGroup}"`);
  return JSON.parse(text);
}

describe('a real API server', () => {
  test.each(each)('takes the CRD of %s without a warning', async (_name, kind) => {
    const authorization = await admin.credentials.header();
    const answer = await fetch(`${admin.server}${CRDS}?dryRun=All&fieldValidation=Strict`, {
      method: 'POST',
      body: JSON.stringify(elsewhere(kind, 'again.example.com')),
      headers: { 'content-type': 'application/json', ...(authorization ? { authorization } : {}) },
      ...(admin.tls ? { tls: admin.tls } : {}),
    });
    expect([answer.status, answer.headers.get('warning')]).toEqual([201, null]);
  });

  test.each(each)('serves %s and finds its schema structural', async (_name, kind) => {
    const found = (await call(admin, { path: `${CRDS}/${crdName(kind)}` })) as {
      status: { conditions: Array<{ type: string; status: string }> };
    };
    const conditions = Object.fromEntries(found.status.conditions.map(({ type, status }) => [type, status]));
    expect(conditions).toEqual({ NamesAccepted: 'True', Established: 'True' });
  });

  const served = async (group: string): Promise<string[][]> => {
    const { stdout } = await kubectl(['api-resources', `--api-group=${group}`, '--no-headers']);
    return stdout
      .trim()
      .split('\n')
      .map((line) => line.split(/\s+/));
  };

  test('knows the short names of MCM', async () => {
    expect(await served(machineGroup)).toEqual([
      ['machineclasses', 'mcc', apiVersion, 'true', 'MachineClass'],
      ['machinedeployments', 'mcd', apiVersion, 'true', 'MachineDeployment'],
      ['machines', 'mc', apiVersion, 'true', 'Machine'],
      ['machinesets', 'mcs', apiVersion, 'true', 'MachineSet'],
    ]);
  });

  test('knows a short name for a Cluster that Cluster API and others leave free', async () => {
    expect(await served(droverGroup)).toEqual([
      ['clusters', 'dcl', 'drover.dev/v1alpha1', 'true', 'Cluster'],
      ['machinedrainrules', 'mdr', 'drover.dev/v1alpha1', 'true', 'MachineDrainRule'],
    ]);
  });
});

describe('kubectl explain', () => {
  test.each([
    ['machine', 'A Machine is one virtual or physical machine'],
    ['machine.spec.drainTimeout', 'How long a drain may take'],
    ['machine.status.currentStep.name', "The first step of the machine's life that is not satisfied"],
    ['machineset.spec.selector', "Which machines are the set's"],
    ['machinedeployment.spec.strategy.rollingUpdate.maxSurge', 'How many machines, or what share'],
    ['machineclass.providerSpec', 'What the driver needs to make a VM'],
    ['dcl.spec.kubeconfigSecretRef', 'Kubeconfig of the cluster that the Nodes join'],
  ])('%s shows the sentence', async (field, sentence) => {
    const { stdout } = await kubectl(['explain', field]);
    expect(stdout.replace(/\s+/g, ' ')).toContain(sentence);
  });
});

describe('kubectl get', () => {
  const machine = {
    apiVersion,
    kind: 'Machine',
    metadata: { name: 'one', labels: { node: 'node-one' } },
    spec: { providerID: 'virtual:///1' },
  };
  const status = { currentStatus: { phase: 'Running' }, currentStep: { name: 'NodeHealthy', reason: 'NodeNotReady' } };

  test('shows phase, node and, when wide, the deciding step with its reason', async () => {
    const namespace = await cluster.namespace('columns');
    const path = `/apis/${apiVersion}/namespaces/${namespace}/machines`;
    await call(admin, { method: 'POST', path, body: machine });
    await call(admin, {
      method: 'PATCH',
      path: `${path}/one/status`,
      contentType: 'application/merge-patch+json',
      body: { status },
    });
    const narrow = await kubectl(['get', 'mc', '-n', namespace]);
    expect(narrow.stdout).toMatch(/^NAME +STATUS +AGE +NODE\none +Running +\S+ +node-one\n$/);
    const wide = await kubectl(['get', 'mc', '-n', namespace, '-o', 'wide']);
    expect(wide.stdout).toMatch(/^NAME +STATUS +AGE +NODE +PROVIDERID +STEP +REASON\n/);
    expect(wide.stdout).toMatch(/virtual:\/\/\/1 +NodeHealthy +NodeNotReady\n$/);
  });

  test.each([
    ['MachineClass', { providerSpec: {} }, /^NAME +AGE\n/],
    ['MachineSet', { spec: { replicas: 2 } }, /^NAME +DESIRED +CURRENT +READY +AGE\na +2 /],
    [
      'MachineDeployment',
      { spec: { replicas: 2, template: {} } },
      /^NAME +READY +DESIRED +UP-TO-DATE +AVAILABLE +AGE\na +2 /,
    ],
  ])('shows the columns of MCM for a %s', async (kind, rest, columns) => {
    const namespace = await cluster.namespace('columns');
    const stdin = JSON.stringify({ apiVersion, kind, metadata: { name: 'a' }, ...rest });
    expect(await kubectl(['create', '-n', namespace, '-f', '-'], { stdin })).toMatchObject({ code: 0 });
    expect((await kubectl(['get', kind, '-n', namespace])).stdout).toMatch(columns);
  });
});

describe('what is frozen', () => {
  const Frozen = { type: 'Frozen', status: 'True' };

  test.each([
    ['machinesets', { machineSetCondition: [Frozen] }],
    ['machinedeployments', { conditions: [{ type: 'Available', status: 'False' }, Frozen] }],
  ])('is a column of %s when wide', async (plural, status) => {
    const namespace = await cluster.namespace('frozen');
    const kind = kinds.find((one) => one.plural === plural)?.kind;
    const path = `/apis/${apiVersion}/namespaces/${namespace}/${plural}`;
    const body = { apiVersion, kind, metadata: { name: 'a' }, spec: { template: {} } };
    await call(admin, { method: 'POST', path, body });
    const contentType = 'application/merge-patch+json';
    await call(admin, { method: 'PATCH', path: `${path}/a/status`, contentType, body: { status } });
    const { stdout } = await kubectl(['get', plural, '-n', namespace, '-o', 'wide']);
    expect(stdout).toMatch(/FROZEN\na .* +True\n$/);
  });
});

test('a MachineClass keeps its status when a client of MCM replaces it, whose type has none', async () => {
  const namespace = await cluster.namespace('status');
  const path = `/apis/${apiVersion}/namespaces/${namespace}/machineclasses`;
  const machineClass = { apiVersion, kind: 'MachineClass', metadata: { name: 'a' }, providerSpec: {} };
  await call(admin, { method: 'POST', path, body: machineClass });
  const lastTransitionTime = '2026-01-31T08:00:00Z';
  const status = {
    conditions: [{ type: 'SweepSucceeded', status: 'False', reason: 'NoList', message: '', lastTransitionTime }],
  };
  const told = (await call(admin, {
    method: 'PATCH',
    path: `${path}/a/status`,
    contentType: 'application/merge-patch+json',
    body: { status },
  })) as KubeObject;
  const metadata = { name: 'a', resourceVersion: told.metadata.resourceVersion, labels: { x: 'y' } };
  await call(admin, { method: 'PUT', path: `${path}/a`, body: { ...machineClass, metadata } });
  expect(await call(admin, { path: `${path}/a` })).toMatchObject({ metadata: { labels: { x: 'y' } }, status });
});

describe('the subresource scale', () => {
  test.each(kinds.filter(({ scale }) => scale))(
    'of $kind sets replicas and names the selector',
    async ({ kind, plural }) => {
      const namespace = await cluster.namespace('scale');
      const path = `/apis/${apiVersion}/namespaces/${namespace}/${plural}`;
      const spec = { replicas: 1, template: {} };
      await call(admin, { method: 'POST', path, body: { apiVersion, kind, metadata: { name: 'a' }, spec } });
      const body = { status: { replicas: 1, labelSelector: 'herd=demo' } };
      await call(admin, {
        method: 'PATCH',
        path: `${path}/a/status`,
        contentType: 'application/merge-patch+json',
        body,
      });
      expect(await kubectl(['scale', plural, 'a', '-n', namespace, '--replicas=7'])).toMatchObject({ code: 0 });
      expect(await call(admin, { path: `${path}/a/scale` })).toMatchObject({
        spec: { replicas: 7 },
        status: { replicas: 1, selector: 'herd=demo' },
      });
    },
  );
});
