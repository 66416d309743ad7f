import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noCredentials } from '../../controller/runtime/connection.ts';
import { openAuthority } from '../../hack/controlplane/authority.ts';
import { writeKubeconfig } from '../../hack/controlplane/kubeconfig.ts';
import { Hopeless, until } from '../../hack/until.ts';
import { reviewOf } from '../admission/review.ts';
import type { Figures } from './figures.ts';
import { type Load, load } from './load.ts';
import machine from './testdata/machine.json';
import { cpuUsed, memoryMiB } from './usage.ts';

const ROOT = join(import.meta.dir, '../..');
const HOST = '127.0.0.1';
/** As many connections as an API server under load keeps to a webhook; the webhook is busy all the time. */
const SATURATED = { connections: 16, seconds: 5 };
/** A busy cluster: what a single request takes. */
const PACED = { connections: 16, seconds: 5, perSecond: 500 };

/** Reviews of a Machine at the program itself, over TLS with keep-alive, from another process: at full load and at a pace. */
export async function webhookBench(): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'drover-bench-'));
  try {
    return await onWebhook(folder, async ({ pid, ca, url }) => {
      const ask = (path: string, review: object) => ({ ca, url: url + path, body: JSON.stringify(review) });
      const changed = { ...machine, spec: { ...machine.spec, drainTimeout: '10m' } };
      return {
        validate: await measured(pid, ask('/validate', reviewOf({ now: changed, before: machine }))),
        mutate: await measured(pid, ask('/mutate', reviewOf({ now: machine }))),
        rss_mib: memoryMiB(pid).now,
        rss_peak_mib: memoryMiB(pid).peak,
      };
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

type Asked = Pick<Load, 'ca' | 'url' | 'body'>;

async function measured(pid: number, asked: Asked): Promise<Figures> {
  await load({ ...asked, ...SATURATED });
  const before = cpuUsed(pid);
  const full = await load({ ...asked, ...SATURATED });
  const cpu = cpuUsed(pid) - before;
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

interface Webhook {
  pid: number;
  ca: string;
  url: string;
}

/** Runs the program with a certificate of its own and, for plain reviews need none, an API server that is not there. */
async function onWebhook<T>(folder: string, use: (webhook: Webhook) => Promise<T>): Promise<T> {
  const { ca, flags } = await prepared(folder);
  const log = Bun.file(join(folder, 'log'));
  const command = [process.execPath, 'webhook/main.ts', `--address=${HOST}`, '--port=0', ...flags];
  const child = Bun.spawn(command, { cwd: ROOT, stdout: log, stderr: 'inherit' });
  const listening = async () => {
    const text = await log.text();
    if (child.exitCode !== null) throw new Hopeless(`the webhook ended:\n${text}`);
    return text.match(/"port":(\d+)/)?.[1];
  };
  try {
    const port = await until('the webhook to listen', listening, { timeoutMs: 15_000 });
    return await use({ pid: child.pid, ca, url: `https://${HOST}:${port}` });
  } finally {
    child.kill();
    await child.exited;
  }
}

async function prepared(folder: string): Promise<{ ca: string; flags: string[] }> {
  const file = (name: string) => join(folder, name);
  const authority = await openAuthority(folder, 'ca');
  const { cert, key } = await authority.issue({ commonName: 'drover-webhook', hosts: [HOST] });
  await Promise.all([Bun.write(file('tls.crt'), cert), Bun.write(file('tls.key'), key)]);
  await writeKubeconfig(file('kubeconfig'), { server: `https://${HOST}:1`, credentials: noCredentials });
  const flags = ['--tls-mode=provided', `--tls-cert-file=${file('tls.crt')}`, `--tls-key-file=${file('tls.key')}`];
  return { ca: authority.ca, flags: [...flags, `--kubeconfig=${file('kubeconfig')}`] };
}
