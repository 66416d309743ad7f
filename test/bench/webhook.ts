import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noCredentials } from '../../controller/runtime/connection.ts';
import { openAuthority } from '../../hack/controlplane/authority.ts';
import { writeKubeconfig } from '../../hack/controlplane/kubeconfig.ts';
import { until } from '../../hack/until.ts';
import { reviewOf } from '../admission/review.ts';
import type { Figures } from './figures.ts';
import { type Load, load } from './load.ts';
import machine from './testdata/machine.json';
import { cpuSeconds, memoryMiB } from './usage.ts';

const ROOT = join(import.meta.dir, '../..');
const HOST = '127.0.0.1';
/** As many connections as an API server under load keeps to a webhook; the webhook is busy all the time. */
const SATURATED = { connections: 16, seconds: 5 };
/** A busy cluster: what a single request takes. */
const PACED = { connections: 16, seconds: 5, perSecond: 500 };

/** Reviews of a Machine at the program itself, over TLS with keep-alive, from another process: at full load and at a pace. */
export async function webhookBench(): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'drover-bench-'));
  const webhook = await startWebhook(folder);
  const ask = (path: string, object: object) => ({
    ca: webhook.ca,
    url: webhook.url + path,
    body: JSON.stringify(object),
  });
  const changed = { ...machine, spec: { ...machine.spec, drainTimeout: '10m' } };
  try {
    return {
      validate: await measured(webhook.pid, ask('/validate', reviewOf({ now: changed, before: machine }))),
      mutate: await measured(webhook.pid, ask('/mutate', reviewOf({ now: machine }))),
      rss_mib: memoryMiB(webhook.pid).now,
      rss_peak_mib: memoryMiB(webhook.pid).peak,
    };
  } finally {
    await webhook.end();
    rmSync(folder, { recursive: true });
  }
}

type Asked = Pick<Load, 'ca' | 'url' | 'body'>;

async function measured(pid: number, asked: Asked): Promise<Figures> {
  await load({ ...asked, ...SATURATED });
  const before = cpuSeconds(pid);
  const full = await load({ ...asked, ...SATURATED });
  const cpu = cpuSeconds(pid) - before;
  const paced = await load({ ...asked, ...PACED });
  return {
    body_bytes: asked.body.length,
    requests_per_second: full.requests / full.seconds,
    cpu_microseconds_per_request: (cpu * 1e6) / full.requests,
    requests_per_cpu_second: full.requests / cpu,
    p50_ms: full.p50Ms,
    p99_ms: full.p99Ms,
    at_500_per_second: { p50_ms: paced.p50Ms, p99_ms: paced.p99Ms },
  };
}

/** The program with a certificate of its own and, for it never needs one here, an API server that is not there. */
async function startWebhook(folder: string) {
  const authority = await openAuthority(folder, 'ca');
  const { cert, key } = await authority.issue({ commonName: 'drover-webhook', hosts: [HOST] });
  const file = (name: string) => join(folder, name);
  writeFileSync(file('tls.crt'), cert);
  writeFileSync(file('tls.key'), key);
  await writeKubeconfig(file('kubeconfig'), { server: `https://${HOST}:1`, credentials: noCredentials });
  const flags = [
    '--tls-mode=provided',
    `--tls-cert-file=${file('tls.crt')}`,
    `--tls-key-file=${file('tls.key')}`,
    `--kubeconfig=${file('kubeconfig')}`,
    `--address=${HOST}`,
    '--port=0',
  ];
  const child = Bun.spawn([process.execPath, 'webhook/main.ts', ...flags], {
    cwd: ROOT,
    stdout: Bun.file(file('log')),
    stderr: 'inherit',
  });
  const port = await until(
    'the webhook to listen',
    async () => (await Bun.file(file('log')).text()).match(/"port":(\d+)/)?.[1],
    {
      timeoutMs: 15_000,
    },
  );
  const end = async () => {
    child.kill();
    await child.exited;
  };
  return { pid: child.pid, ca: authority.ca, url: `https://${HOST}:${port}`, end };
}
