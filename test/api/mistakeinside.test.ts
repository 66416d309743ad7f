import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Api } from '../../controller/runtime/client/api.ts';
import { systemClock as clock } from '../../controller/runtime/clock.ts';
import { leases } from '../../controller/runtime/k8s/core.ts';
import { compile } from '../../hack/imagebuild/compile.ts';
import { until } from '../../hack/lib/until.ts';
import { ownArch } from '../../hack/tools/platform.ts';
import { type Cluster, controlPlane } from './support/controlplane.ts';

/** hack/decisions/0028 R4: a mistake that nobody handles ends a program, however it was started. */
setDefaultTimeout(180_000);
const ROOT = join(import.meta.dir, '../..');
const folder = mkdtempSync(join(tmpdir(), 'mistake-'));
const compiled = join(folder, 'drover');
let cluster: Cluster;

beforeAll(async () => {
  cluster = await controlPlane();
  const arch = ownArch();
  if (arch !== 'amd64' && arch !== 'arm64') throw new Error(`nothing is compiled for ${arch}`);
  await compile({ arch, commit: '', output: compiled, main: join(import.meta.dir, 'support/faultydrover.ts') });
});
afterAll(() => rmSync(folder, { recursive: true }));

const KINDS = [
  ['a promise that is rejected', 'SIGUSR2'],
  ['an exception', 'SIGHUP'],
] as const;

/** Starts a program in one of the two ways; its environment says nothing of Bun. */
async function start(name: 'controller' | 'webhook', way: 'sources' | 'compiled', flags: readonly string[]) {
  const log = join(folder, `${crypto.randomUUID()}.log`);
  const preload = join(import.meta.dir, 'support/injectedfaults.ts');
  const command = way === 'compiled' ? [compiled, name] : [process.execPath, '--preload', preload, `${name}/main.ts`];
  const { BUN_CONFIG_MAX_HTTP_REQUESTS: _, ...env } = process.env;
  const given = ['--address=127.0.0.1', '--port=0', ...flags];
  const child = Bun.spawn([...command, ...given], { cwd: ROOT, env, stdout: Bun.file(log), stderr: 'inherit' });
  const lines = async () =>
    (await Bun.file(log).text())
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const says = (msg: string) =>
    until(msg, async () => (await lines()).some((line) => line['msg'] === msg), { timeoutMs: 60_000 });
  return { child, lines, says };
}

const MISTAKE = { msg: 'an error that nobody handled: the program ends', level: 'error' };

/** It made room for its requests by itself (hack/decisions/0028 R7). */
const FEW_REQUESTS = expect.objectContaining({ msg: expect.stringContaining('requests may be open at once') });

describe.each(['sources', 'compiled'] as const)('from %s', (way) => {
  test.each(KINDS)('%s ends the controller: logged, leases released, exit code 1', async (_, signal) => {
    const namespace = await cluster.namespace('mistake');
    const { kubeconfig } = cluster;
    const flags = [
      `--control-kubeconfig=${kubeconfig}`,
      `--namespace=${namespace}`,
      `--leader-elect-namespace=${namespace}`,
      '--cluster-server-allow=127.0.0.0/8',
    ];
    const { child, lines, says } = await start('controller', way, flags);
    await says('started');
    child.kill(signal);
    expect(await child.exited).toBe(1);
    expect(await lines()).toContainEqual(expect.objectContaining(MISTAKE));
    expect(await lines()).not.toContainEqual(FEW_REQUESTS);
    const api = new Api({ connection: cluster.admin, clock });
    const { items } = await api.list(leases, { namespace });
    expect(items.map(({ spec }) => spec?.holderIdentity)).toEqual(['', '']);
  });

  test.each(KINDS)('%s ends the webhook: logged, exit code 1', async (_, signal) => {
    const namespace = await cluster.namespace('mistake');
    await cluster.kubectl(['create', 'secret', 'generic', 'drover-webhook-tls', '-n', namespace]);
    const flags = [`--kubeconfig=${cluster.kubeconfig}`, `--namespace=${namespace}`, '--tls-server-names=127.0.0.1'];
    const { child, lines, says } = await start('webhook', way, flags);
    await says('listening');
    child.kill(signal);
    expect(await child.exited).toBe(1);
    expect(await lines()).toContainEqual(expect.objectContaining(MISTAKE));
    expect(await lines()).not.toContainEqual(FEW_REQUESTS);
  });
});
