import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { type ControllerProcess, startController } from '../api/support/controllerprocess.ts';
import { type Cluster, controlPlane } from '../api/support/controlplane.ts';
import { Herd } from '../api/support/herd.ts';
import { attackAt, type BadServer, kubeconfigTo, makeCluster, startBadServer, TOKEN } from './badtargets.ts';

// hack/decisions/0028 T73, T90, W8, W7, R1: target clusters that somebody else runs, and kubeconfigs that somebody else writes, beside a
// Cluster on a real API server that goes on working.

setDefaultTimeout(180_000);

const PATIENCE = { timeoutMs: 90_000, everyMs: 250 };
/** What a controller takes that follows this many servers, a second copy of a bounded cache and a list under way included. */
const MOST_MIB = 900;

let cluster: Cluster;
let herd: Herd;
let controller: ControllerProcess;
let bad: BadServer;
let canary: ReturnType<typeof Bun.serve>;
const sung: string[] = [];

/** The condition Reachable of a Cluster. */
async function reachable(name: string): Promise<{ status?: string; reason?: string; message?: string }> {
  const path = 'jsonpath={.status.conditions[?(@.type=="Reachable")]}';
  return JSON.parse((await herd.kubectl('get', `dcl/${name}`, '-o', path)) || '{}');
}

const machineJoins = async (name: string): Promise<void> => {
  await herd.apply(herd.alone(name, 'small', { 'cluster.k8s.io/cluster-name': 'sound' }));
  await herd.kubectl('wait', `mc/${name}`, '--for=condition=NodeHealthy', '--timeout=90s');
  await herd.kubectl('delete', `mc/${name}`, '--timeout=90s');
};

const metrics = async (): Promise<string> => (await fetch(`${controller.url}/metrics`)).text();

/** What the process takes, and took at the most. */
function memoryMib(field: 'VmRSS' | 'VmHWM'): number {
  const [, kib = '0'] =
    new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${controller.pid}/status`, 'utf8')) ?? [];
  return Number(kib) / 1024;
}

beforeAll(async () => {
  canary = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url, headers }) => {
      sung.push(`${url} ${headers.get('authorization')}`);
      return new Response('');
    },
  });
  cluster = await controlPlane();
  bad = await startBadServer(cluster.folder, { canary: `http://127.0.0.1:${canary.port}/` });
  herd = new Herd().settle(cluster, await cluster.namespace('hostile-targets'));
  const flags = [
    '--machine-safety-apiserver-statuscheck-timeout=5s',
    '--machine-safety-apiserver-statuscheck-period=1s',
    '--log-level=info',
  ];
  controller = await startController({ cluster, namespace: herd.namespace, flags });
  await controller.working();
  await herd.makeClass('small');
  const account = await cluster.serviceAccount('drover-system', 'drover-controller');
  await makeCluster(herd, 'sound', await Bun.file(account.kubeconfig).text());
}, 120_000);

afterAll(async () => {
  bad?.child.kill();
  await canary?.stop(true);
  await herd?.leave();
  await controller?.stop();
});

describe('targets that attack all at once', () => {
  test('cost no other Cluster anything, and end', async () => {
    await machineJoins('before');
    for (const attack of bad.attacks) await makeCluster(herd, attack, kubeconfigTo(bad, attackAt(bad, attack)));
    await machineJoins('during');
    for (const attack of ['gigabytes', 'bomb', 'hang', 'drip', 'redirect', 'talkative'])
      await herd.eventually(
        `the Cluster ${attack} to be unreachable`,
        async () => (await reachable(attack)).status === 'False',
        PATIENCE,
      );
    for (const attack of ['lists', 'bombs', 'pages', 'objects', 'names', 'types'])
      expect((await reachable(attack)).status).not.toBe('True');
    await machineJoins('after');
    expect(await reachable('sound')).toMatchObject({ status: 'True', reason: 'Reachable' });
  });

  test('take no more memory than is theirs, and make up no labels of metrics', async () => {
    expect(memoryMib('VmHWM')).toBeLessThan(MOST_MIB);
    const text = await metrics();
    expect(text).toContain('host="');
    expect(text).not.toContain(String(bad.port));
    expect(text.split('\n').filter((line) => line.startsWith('rest_client_')).length).toBeLessThan(2_000);
    expect(text).not.toContain(TOKEN);
  });

  test('say nothing in conditions, little in the log, and lead nobody elsewhere', async () => {
    for (const attack of bad.attacks) {
      const { message = '' } = await reachable(attack);
      expect(message).not.toContain('SERVER-SAYS');
      expect(message.length).toBeLessThan(1_024);
    }
    expect((await reachable('redirect')).message).toBe('its server answers 307 Unknown');
    expect((await reachable('gigabytes')).message).toMatch(/more than any API server does|DeadlineExceeded/);
    const lines = await controller.lines();
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(40_000);
    expect(lines.filter((line) => line.includes('SERVER-WARNS')).length).toBeLessThan(500);
    expect(lines.filter((line) => line.includes(TOKEN))).toEqual([]);
    expect(sung).toEqual([]);
  });

  test('leave no trace in the metrics when their Clusters go', async () => {
    for (const attack of bad.attacks) await herd.kubectl('delete', `dcl/${attack}`, '--timeout=60s');
    await herd.eventually(
      'their series to go',
      async () => !(await metrics()).includes(`host="${herd.namespace}/bomb"`),
      PATIENCE,
    );
    expect(await metrics()).toContain(`host="${herd.namespace}/sound"`);
    await machineJoins('last');
  });
});

describe('a kubeconfig of a Secret', () => {
  test.each<[string, () => string, string]>([
    [
      'token-file',
      () => kubeconfigTo(bad, 'https://h.example', { user: { 'token-file': '/etc/passwd' } }),
      'token-file is refused',
    ],
    ['exec', () => kubeconfigTo(bad, 'https://h.example', { user: { exec: { command: 'id' } } }), 'exec is refused'],
    ['as', () => kubeconfigTo(bad, 'https://h.example', { user: { as: 'admin' } }), 'as is refused'],
    ['metadata', () => kubeconfigTo(bad, 'https://169.254.169.254/latest'), 'a link-local address'],
    ['query', () => kubeconfigTo(bad, 'https://h.example/x?y='), 'has a query'],
    ['loopback6', () => kubeconfigTo(bad, 'https://[::1]:6443'), 'a loopback address'],
    ['plain', () => kubeconfigTo(bad, 'http://h.example'), 'is not an https URL'],
    [
      'proxied',
      () => kubeconfigTo(bad, 'https://h.example', { cluster: { 'proxy-url': 'http://[::1]:1' } }),
      'a loopback address',
    ],
  ])('is refused for its %s, by the field', async (name, kubeconfig, says) => {
    await makeCluster(herd, name, kubeconfig());
    await herd.eventually('the refusal', async () => (await reachable(name)).reason === 'KubeconfigInvalid', PATIENCE);
    expect((await reachable(name)).message).toContain(says);
  });
});
