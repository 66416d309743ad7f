import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { pods } from '../../controller/runtime/k8s/workload.ts';
import {
  ANNOTATION_BEFORE,
  ANNOTATION_WATCHDOG,
  type Deployment,
  deployments,
} from '../../hack/attachment/deployment.ts';
import { until } from '../../hack/lib/until.ts';
import { controlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';

setDefaultTimeout(180_000);
const ROOT = join(import.meta.dir, '../..');
const RBAC = join(ROOT, 'charts/drover/files/rbac/controller.yaml');
const PATIENCE = { timeoutMs: 40_000 };
const SYSTEM = 'drover-system';
const labels = { 'app.kubernetes.io/name': 'drover', 'app.kubernetes.io/component': 'controller' };
const at = { namespace: SYSTEM, name: 'drover-controller' };
const herd = new Herd();

const admin = (...args: string[]) => herd.cluster.kubectl(args);

beforeAll(async () => {
  const cluster = await controlPlane();
  herd.settle(cluster, await cluster.namespace('attach'));
  expect((await admin('apply', '-f', RBAC)).code).toBe(0);
  await herd.makeClass('small');
});

beforeEach(async () => {
  await admin('-n', SYSTEM, 'delete', 'deployment', at.name, '--ignore-not-found');
  await herd.api.create(deployments, deployment());
});

afterAll(async () => {
  await admin('-n', SYSTEM, 'delete', 'deployment', at.name, '--ignore-not-found');
});

/** As the chart makes it; nobody makes pods of it here. */
const deployment = (annotations: Record<string, string> = {}): Deployment =>
  ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { ...at, labels, annotations },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { serviceAccountName: 'drover-controller', containers: [container] },
      },
    },
  }) as Deployment;

const container = {
  name: 'controller',
  image: 'drover:none',
  args: [
    ...['controller', '--control-kubeconfig=inClusterConfig', '--port=10258', '--leader-elect-namespace=drover-system'],
    ...['--leader-elect-lease-duration=4s', '--leader-elect-renew-deadline=3s', '--leader-elect-retry-period=500ms'],
  ],
  env: [{ name: 'DROVER_NAMESPACE', value: '' }],
};

interface Attached {
  pid: number;
  said(): Promise<string>;
  kill(signal: NodeJS.Signals): void;
  exited: Promise<number>;
}

/** Runs `./hack/attach`, with the bun that runs this test. */
function play(...words: string[]): Attached {
  const log = join(herd.cluster.folder, `attach-${crypto.randomUUID()}.log`);
  const child = Bun.spawn(
    [process.execPath, 'hack/main.ts', 'attach', `--kubeconfig=${herd.cluster.kubeconfig}`, ...words],
    {
      cwd: ROOT,
      stdout: Bun.file(log),
      stderr: Bun.file(`${log}.err`),
    },
  );
  const said = async () => (await Bun.file(log).text()) + (await Bun.file(`${log}.err`).text());
  return { pid: child.pid, said, kill: (signal) => child.kill(signal), exited: child.exited };
}

/** Attaches, for this test's namespace alone, and waits until the controller works. */
async function attached(): Promise<Attached> {
  const call = play('--', `--namespace=${herd.namespace}`);
  await until('the controller to work', async () => (await call.said()).includes('"msg":"started"'), PATIENCE);
  return call;
}

async function now(): Promise<{ replicas: number; before?: string | undefined; watchdog?: string | undefined }> {
  const { metadata, spec } = await herd.api.get(deployments, at);
  const { annotations = {} } = metadata;
  return {
    replicas: spec.replicas,
    before: annotations[ANNOTATION_BEFORE],
    watchdog: annotations[ANNOTATION_WATCHDOG],
  };
}

const asBefore = { replicas: 2, before: undefined, watchdog: undefined };

/** The controller that a call has started. */
const childOf = async ({ pid }: Attached): Promise<number> =>
  Number((await Bun.file(`/proc/${pid}/task/${pid}/children`).text()).trim());

test('the controller here brings machines up with the rights of the deployed one, which is put back after Ctrl-C', async () => {
  const call = await attached();
  expect(await now()).toMatchObject({ replicas: 0, watchdog: 'true' });
  await herd.apply(herd.alone(`m-${herd.namespace}`, 'small'));
  await herd.whenRunning(1);
  await herd.kubectl('delete', 'mc', '--all', '--timeout=45s');
  call.kill('SIGINT');
  expect(await call.exited).toBe(130);
  expect(await now()).toEqual(asBefore);
  expect(await call.said()).toContain('Deployment drover-system/drover-controller is as it was before\n');
});

test('it is put back when the controller is killed, which is told', async () => {
  const call = await attached();
  process.kill(await childOf(call), 'SIGKILL');
  expect(await call.exited).toBe(1);
  expect(await now()).toEqual(asBefore);
  expect(await call.said()).toContain('the controller was ended by SIGKILL\n');
});

test('a call that was killed leaves it to --restore, and another call is refused until then', async () => {
  const call = await attached();
  const child = await childOf(call);
  call.kill('SIGKILL');
  await call.exited;
  const other = play();
  expect(await other.exited).toBe(1);
  expect(await other.said()).toContain('is attached already');
  process.kill(child, 'SIGTERM');
  const restoring = play('--restore');
  expect(await restoring.exited).toBe(0);
  expect(await now()).toEqual(asBefore);
  const again = play('--restore');
  expect(await again.exited).toBe(0);
  expect(await again.said()).toContain('is not attached: there is nothing to restore');
});

test('the controller starts when the last pod has gone, and not before', async () => {
  const pod = {
    metadata: { namespace: SYSTEM, name: 'drover-controller-0', labels },
    spec: { containers: [{ name: 'a', image: 'a' }] },
  };
  await admin('-n', SYSTEM, 'create', 'serviceaccount', 'default');
  await herd.api.create(pods, pod as never);
  const call = play('--', `--namespace=${herd.namespace}`);
  await until('the Deployment to be scaled', async () => (await now()).replicas === 0, PATIENCE);
  expect(await childOf(call)).toBe(0);
  await herd.api.delete(pods, pod.metadata, { gracePeriodSeconds: 0 });
  await until('the controller to work', async () => (await call.said()).includes('"msg":"started"'), PATIENCE);
  call.kill('SIGTERM');
  expect(await call.exited).toBe(130);
  expect(await now()).toEqual(asBefore);
});

test("what somebody else has set meanwhile stays: replicas, and the watchdog's annotation from before", async () => {
  await admin('-n', SYSTEM, 'annotate', 'deployment', at.name, `${ANNOTATION_WATCHDOG}=false`);
  const call = await attached();
  expect(await now()).toMatchObject({ replicas: 0, watchdog: 'true' });
  await admin('-n', SYSTEM, 'scale', 'deployment', at.name, '--replicas=5');
  call.kill('SIGINT');
  await call.exited;
  expect(await now()).toEqual({ replicas: 5, before: undefined, watchdog: 'false' });
});

test.each([
  [['--deployment=other'], 'deployments.apps "other" not found'],
  [['-n', 'default'], 'namespace default has no Deployment with the labels'],
  [['--kubeconfig=/no/file'], 'kubeconfig /no/file: the file cannot be read'],
])('%p ends with a sentence, and changes nothing', async (words, says) => {
  const call = play(...words);
  expect(await call.exited).toBe(1);
  expect(await call.said()).toContain(says);
  expect(await now()).toEqual(asBefore);
});
