import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { type OwnCluster, ownControlPlane } from '../api/support/controlplane.ts';
import { register, startWebhook, type WebhookProcess } from '../api/support/webhookprocess.ts';
import { only, render } from './helm.ts';
import type { Container } from './scenarios.ts';

const DROVER = join(import.meta.dir, '../../hack/imagebuild/drover.ts');

interface Pod extends KubeObject {
  spec: { serviceAccountName: string; containers: Container[] };
}

let cluster: OwnCluster;
let webhook: WebhookProcess;
let pod: Pod;

beforeAll(async () => {
  cluster = await ownControlPlane();
  webhook = await startWebhook(cluster);
  const objects = await render({ words: ['--show-only=templates/tests/admission.yaml'] });
  pod = only<Pod>(objects, 'Pod', 'drover-check');
  const stdin = objects
    .filter((one) => one !== pod)
    .map((one) => JSON.stringify(one))
    .join('\n---\n');
  expect(await cluster.kubectl(['apply', '-f', '-'], { stdin })).toMatchObject({ code: 0 });
}, 180_000);

afterAll(async () => {
  await webhook?.stop();
  await cluster?.end();
});

/** Runs what the pod of `helm test` runs, under its account, once. */
async function check() {
  const { kubeconfig } = await cluster.serviceAccount('drover-system', pod.spec.serviceAccountName);
  const [{ args } = { args: [] }] = pod.spec.containers;
  const words = [process.execPath, DROVER, ...args, `--kubeconfig=${kubeconfig}`, '--timeout=0'];
  const child = Bun.spawn(words, { stdout: 'pipe', stderr: 'pipe' });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, stdout, stderr };
}

test('helm test fails while nothing is registered, and says what is missing', async () => {
  const { code, stdout, stderr } = await check();
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('A good Machine is taken, but no webhook has completed it');
  expect(stderr).toContain('A bad Machine is taken, as nothing checks it');
});

test('helm test passes once the webhook is asked, and keeps no Machine', async () => {
  await register(cluster, webhook.port);
  const { code, stdout, stderr } = await check();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('A good Machine is taken, and the webhook has completed it.\n');
  expect(stdout).toMatch(/A bad Machine is refused: .*effective-creation-timeout/);
  expect((await cluster.kubectl(['get', 'machines', '-A', '-o', 'name'])).stdout).toBe('');
});
