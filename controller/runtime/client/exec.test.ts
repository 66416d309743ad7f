import { describe, expect, test } from 'bun:test';
import { FakeClock } from '../clock.fake.ts';
import { turnUntil } from '../server.fake.ts';
import { ExecCredentials } from './exec.ts';

const apiVersion = 'client.authentication.k8s.io/v1';
const cluster = { server: 'https://10.0.0.1' };

/** Credentials from a shell script; what the script prints after `printf` is JSON. */
function credentialsOf(script: string, more: Record<string, unknown> = {}) {
  const clock = new FakeClock();
  const config = { apiVersion, command: 'sh', args: ['-c', script], ...more };
  return { clock, credentials: new ExecCredentials({ config, cluster: () => cluster, clock }) };
}

const printing = (status: Record<string, unknown>, more = {}) =>
  `printf '%s' '${JSON.stringify({ apiVersion, kind: 'ExecCredential', status, ...more })}'`;

/** Prints a token that is another one in each run. */
const counting = (expirationTimestamp?: string) =>
  printing({ token: 'PID', expirationTimestamp }).replace('PID', () => `'$$'`);

describe('a program', () => {
  test('gives a token', async () => {
    const { credentials, clock } = credentialsOf(printing({ token: 'secret' }));
    expect(await credentials.header()).toBe('Bearer secret');
    expect(credentials.certificate).toEqual({});
    expect(clock.pending).toBe(0);
  });

  test('gives a client certificate', async () => {
    const { credentials } = credentialsOf(printing({ clientCertificateData: 'C', clientKeyData: 'K' }));
    expect(await credentials.header()).toBeUndefined();
    expect(credentials.certificate).toEqual({ cert: 'C', key: 'K' });
  });

  test('is told what it is to answer, and of the cluster when it asks for that', async () => {
    const echo = `${printing({ token: 'INFO' }).replace('INFO', `'"$(printf '%s' "$WHO$KUBERNETES_EXEC_INFO" | base64 | tr -d '\\n')"'`)}`;
    const { credentials } = credentialsOf(echo, { provideClusterInfo: true, env: [{ name: 'WHO', value: 'me' }] });
    const told = Buffer.from((await credentials.header())?.slice('Bearer '.length) ?? '', 'base64').toString();
    expect(told).toStartWith('me');
    expect(JSON.parse(told.slice(2))).toEqual({
      apiVersion,
      kind: 'ExecCredential',
      spec: { interactive: false, cluster },
    });
  });
});

describe('it is run', () => {
  test('once for all who wait, and no more while its answer holds', async () => {
    const { credentials } = credentialsOf(counting());
    const [one, other] = await Promise.all([credentials.header(), credentials.header()]);
    expect(one).toBe(other);
    expect(await credentials.header()).toBe(one);
  });

  test.each([
    ['half a minute before its answer expires', '2026-01-01T00:10:00Z', 570_000],
    ['at nine tenths of its life if that is short', '2026-01-01T00:01:00Z', 54_000],
  ])('again %s (hack/decisions/0028 R10)', async (_, expiry, ms) => {
    const { credentials, clock } = credentialsOf(counting(expiry));
    const first = await credentials.header();
    await clock.advance(ms - 1);
    expect(await credentials.header()).toBe(first);
    await clock.advance(1);
    expect(await credentials.header()).not.toBe(first);
  });

  test('for each call when its answer has expired already', async () => {
    const { credentials } = credentialsOf(counting('2025-01-01T00:00:00Z'));
    expect(await credentials.header()).not.toBe(await credentials.header());
  });

  test('again when its answer was refused', async () => {
    const { credentials } = credentialsOf(counting());
    const first = await credentials.header();
    credentials.refresh();
    expect(await credentials.header()).not.toBe(first);
  });

  test('not again for a token that was refused long after another was given (hack/decisions/0028 R10)', async () => {
    const { credentials } = credentialsOf(counting());
    const refused = { header: await credentials.header(), cert: undefined };
    credentials.refresh(refused);
    const second = await credentials.header();
    credentials.refresh(refused);
    expect(await credentials.header()).toBe(second);
  });

  test('not again for a certificate of which that is so', async () => {
    const once = printing({ clientCertificateData: 'PID', clientKeyData: 'K' }).replace('PID', () => `'$$'`);
    const { credentials } = credentialsOf(once);
    const certificate = async () => ({ header: await credentials.header(), cert: credentials.certificate.cert });
    const refused = await certificate();
    credentials.refresh(refused);
    const second = await certificate();
    expect(second.cert).not.toBe(refused.cert);
    credentials.refresh(refused);
    expect(await certificate()).toEqual(second);
  });
});

describe('it is an error without a secret in it when the program', () => {
  test.each([
    ['fails', 'echo "log in first" >&2; exit 3', 'sh ended with 3: log in first'],
    ['prints something else', 'echo sesame', 'sh printed no ExecCredential'],
    ['prints nothing', 'true', 'sh printed no ExecCredential'],
    ['prints no credentials', printing({}), 'with neither a token nor a client certificate'],
    [
      'answers another version',
      printing({ token: 'sesame' }, { apiVersion: 'x/v1' }),
      'printed an ExecCredential of x/v1, not of client.authentication.k8s.io/v1',
    ],
  ])('%s', async (_what, script, says) => {
    const error: Error = await credentialsOf(script)
      .credentials.header()
      .catch((thrown) => thrown);
    expect(error.message).toContain(says);
    expect(Bun.inspect(error.message)).not.toContain('sesame');
  });

  test('is not there: then its own hint is given', async () => {
    const { credentials } = credentialsOf('', { command: 'no-such-program', installHint: 'Get it from the shop.' });
    await expect(credentials.header()).rejects.toThrow('no-such-program cannot be run: Get it from the shop.');
  });

  test('takes too long', async () => {
    const { credentials, clock } = credentialsOf('exec sleep 1000');
    const header = credentials.header();
    await turnUntil(() => clock.pending === 1);
    await clock.advance(60_000);
    await expect(header).rejects.toThrow('sh took longer than 60 s');
  });
});
