import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ended, runKubectl } from '../../hack/controlplane/kubectl.ts';
import { running } from '../../hack/lib/daemon.ts';
import { until } from '../../hack/lib/until.ts';

setDefaultTimeout(180_000);

const state = mkdtempSync(join(tmpdir(), 'drover-up-'));
const folders = { run: join(state, 'run'), log: join(state, 'log') };
afterAll(async () => {
  await play('down').exited;
  rmSync(state, { recursive: true });
});

/** Starts `./hack/up` or `./hack/down` with a state of its own, and with the bun that runs this test. */
const play = (name: 'up' | 'down', ...flags: string[]) =>
  Bun.spawn([process.execPath, join(import.meta.dir, '../../hack/main.ts'), name, ...flags], {
    env: { ...process.env, DROVER_STATE: state },
    stdout: 'pipe',
    stderr: 'pipe',
  });

async function outcome(...words: Parameters<typeof play>): Promise<Ended> {
  const child = play(...words);
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, stdout, stderr };
}

const kubectl = (...args: string[]) =>
  runKubectl({ binary: join(state, 'bin/kubectl'), kubeconfig: join(state, 'kubeconfig') }, args);

test('an interrupted first call leaves no process and no data', async () => {
  const child = play('up');
  await until('the API server to start', () => running(folders).includes('kube-apiserver'), { timeoutMs: 60_000 });
  child.kill('SIGINT');
  expect(await child.exited).toBe(130);
  expect(running(folders)).toEqual([]);
  expect(readdirSync(state).sort()).toEqual(['lock', 'log']);
});

test('a call brings up a herd whose machines run and whose Nodes are ready', async () => {
  const { code, stdout: text } = await outcome('up', '--replicas', '2');
  expect(text).toContain('kubectl scale mcd herd --replicas 5');
  expect(text).toMatch(/\nUp in (\d+ min )?\d+ s\.\n$/);
  expect(code).toBe(0);
  expect(running(folders)).toEqual(['controller', 'etcd', 'kube-apiserver', 'webhook']);
  const { stdout } = await kubectl('get', 'machines', '-o', 'jsonpath={.items[*].status.currentStatus.phase}');
  expect(stdout).toBe('Running Running');
});

test('a second call starts only what is missing, and leaves the herd as the user has it', async () => {
  await kubectl('scale', 'mcd', 'herd', '--replicas', '3');
  const [controller] = running(folders);
  expect(controller).toBe('controller');
  process.kill(Number((await Bun.file(join(folders.run, 'controller.pid')).text()).split('\n')[0]), 'SIGTERM');
  await until('the controller to end', () => !running(folders).includes('controller'), { timeoutMs: 15_000 });
  const apiserver = await Bun.file(join(folders.run, 'kube-apiserver.pid')).text();
  expect((await outcome('up')).code).toBe(0);
  expect(await Bun.file(join(folders.run, 'kube-apiserver.pid')).text()).toBe(apiserver);
  const three = ['--for', 'jsonpath={.status.readyReplicas}=3', '--timeout', '15s'];
  expect(await kubectl('wait', 'mcd', 'herd', ...three)).toMatchObject({ code: 0 });
});

test('another Kubernetes version is refused with what to do', async () => {
  const { code, stderr } = await outcome('up', '--k8s', '1.35.4');
  expect(stderr).toContain('Call ./hack/down --purge to begin anew with 1.35.4');
  expect(code).toBe(1);
});

test('the programs are no administrators', async () => {
  const may = async (name: string, ...what: string[]) => {
    const as = `system:serviceaccount:drover-system:drover-${name}`;
    return (await kubectl('auth', 'can-i', ...what, `--as=${as}`)).stdout.trim();
  };
  expect(await may('controller', 'patch', 'machines.machine.sapcloud.io')).toBe('yes');
  expect(await may('controller', '*', '*')).toBe('no');
  expect(await may('webhook', 'patch', 'machines.machine.sapcloud.io')).toBe('no');
});

test('down ends every process and keeps the data; with --purge it drops them', async () => {
  expect((await outcome('down')).stdout).toBe('ended: controller, webhook, kube-apiserver, etcd\n');
  expect(running(folders)).toEqual([]);
  expect(readdirSync(state)).toContain('control-plane');
  expect((await outcome('down', '--purge')).stdout).toBe('nothing was running\ndropped data, certificates and logs\n');
  expect(readdirSync(state)).toEqual(['lock']);
});
