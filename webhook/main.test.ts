import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../controller/runtime/clock.ts';
import { until } from '../hack/lib/until.ts';
import { LOCAL } from '../test/fixtures/local.ts';
import { issueAuthority, issueLeaf } from './certificate/authority.ts';
import type { Pair } from './certificate/keypair.ts';

const folder = mkdtempSync(join(tmpdir(), 'webhook-main-'));
const file = (name: string) => join(folder, name);

let authority: Pair;

/** As much of an API server as the program needs to be ready: empty lists, and watches that tell nothing. */
const server = Bun.serve({
  ...LOCAL,
  fetch: ({ url }) =>
    url.includes('watch=true')
      ? new Response(new ReadableStream())
      : Response.json({ metadata: { resourceVersion: '1' }, items: [] }),
});

beforeAll(async () => {
  authority = await issueAuthority(systemClock.now());
  const leaf = await issueLeaf(authority, ['127.0.0.1'], systemClock.now());
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'none', cluster: { server: `http://127.0.0.1:${server.port}` } }],
    users: [{ name: 'none', user: { token: 'none' } }],
    contexts: [{ name: 'none', context: { cluster: 'none', user: 'none' } }],
    'current-context': 'none',
  };
  await Bun.write(file('kubeconfig'), JSON.stringify(kubeconfig));
  await Bun.write(file('tls.crt'), leaf.cert);
  await Bun.write(file('tls.key'), leaf.key);
});

afterAll(async () => {
  await server.stop(true);
  rmSync(folder, { recursive: true });
});

function start(...flags: string[]) {
  const given = [`--kubeconfig=${file('kubeconfig')}`, '--address=127.0.0.1', ...flags];
  return Bun.spawn([process.execPath, join(import.meta.dir, 'main.ts'), ...given], { stdout: 'pipe', stderr: 'pipe' });
}

const provided = () => [
  '--tls-mode=provided',
  `--tls-cert-file=${file('tls.crt')}`,
  `--tls-key-file=${file('tls.key')}`,
];

/** Reads the log until it names the port. */
async function portOf(log: ReadableStream<Uint8Array>): Promise<number> {
  let text = '';
  for await (const chunk of log) {
    text += Buffer.from(chunk).toString();
    const port = /"port":(\d+)/.exec(text)?.[1];
    if (port) return Number(port);
  }
  throw new Error(`no port in ${text}`);
}

test('serves with a given certificate, and ends well when told to', async () => {
  const program = start('--port=0', ...provided());
  const port = await portOf(program.stdout);
  const get = (path: string) => fetch(`https://127.0.0.1:${port}${path}`, { tls: { ca: authority.cert } });
  await until('the lists to be in', async () => (await get('/readyz')).ok, { timeoutMs: 5_000 });
  program.kill('SIGTERM');
  let leaving = await get('/readyz');
  while (leaving.ok) leaving = await get('/readyz');
  expect(await leaving.text()).toBe('stopping: the program is about to end');
  expect(leaving.headers.get('connection')).toBe('close');
  expect(await program.exited).toBe(0);
});

test('is not ready with a certificate that has expired', async () => {
  const MONTH_MS = 31 * 24 * 3600 * 1000;
  const old = await issueLeaf(authority, ['127.0.0.1'], systemClock.now() - MONTH_MS);
  await Bun.write(file('old.crt'), old.cert);
  await Bun.write(file('old.key'), old.key);
  const files = [`--tls-cert-file=${file('old.crt')}`, `--tls-key-file=${file('old.key')}`];
  const program = start('--port=0', '--tls-mode=provided', ...files);
  const port = await portOf(program.stdout);
  const answer = await fetch(`https://127.0.0.1:${port}/readyz`, { tls: { rejectUnauthorized: false } });
  expect(await answer.text()).toStartWith('certificate: expired on ');
  program.kill();
  expect(await program.exited).toBe(0);
});

test('a port that is taken ends the program with a sentence', async () => {
  using taken = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const program = start(`--port=${taken.port}`, ...provided());
  expect(await program.exited).toBe(1);
  expect(await program.stdout.text()).toContain(`cannot listen on 127.0.0.1 port ${taken.port}`);
});

test.each([
  ['--tls-mode=certManager', '--tls-folder: goes with --tls-mode=certManager'],
  ['--tls-mode=provided', '--tls-cert-file: goes with --tls-mode=provided'],
  ['--tls-key-file=tls.key', '--tls-key-file: goes with --tls-mode=provided'],
])('%s alone ends the program with a sentence', async (flag, says) => {
  const program = start(flag);
  expect(await program.stderr.text()).toContain(says);
  expect(await program.exited).toBe(2);
});

test('a bad flag ends the program with 2 and a sentence', async () => {
  const program = start('--tls-mode=given');
  expect(await program.stderr.text()).toContain('--tls-mode: "given" is not one of self, certManager, provided');
});
