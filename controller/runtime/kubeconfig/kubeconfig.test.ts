import { afterAll, describe, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kubeconfigConnection } from './kubeconfig.ts';

const PEM = '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----';
const base64 = (text: string) => Buffer.from(text).toString('base64');

const folder = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Writes a kubeconfig with one context; JSON is YAML. */
function kubeconfig({ cluster = {}, user = {}, ...more }: Record<string, unknown> = {}): string {
  const config = {
    clusters: [{ name: 'c', cluster: { server: 'https://10.0.0.1:6443/', ...(cluster as object) } }],
    users: [{ name: 'u', user }],
    contexts: [
      { name: 'here', context: { cluster: 'c', user: 'u', namespace: 'farm' } },
      { name: 'there', context: { cluster: 'c' } },
    ],
    'current-context': 'here',
    ...more,
  };
  return write('config', JSON.stringify(config));
}

const header = async (user: Record<string, unknown>, cluster = {}) =>
  (await kubeconfigConnection(kubeconfig({ user, cluster }))).credentials.header();

const v1 = 'client.authentication.k8s.io/v1';

describe('the connection', () => {
  test('is that of the current context', async () => {
    const connection = await kubeconfigConnection(kubeconfig({ user: { token: 't' } }));
    expect(connection).toMatchObject({ server: 'https://10.0.0.1:6443', namespace: 'farm', tls: {} });
    expect(await connection.credentials.header()).toBe('Bearer t');
  });

  test('is that of another context when asked', async () => {
    const connection = await kubeconfigConnection(kubeconfig({ user: { token: 't' } }), { context: 'there' });
    expect(connection.namespace).toBeUndefined();
    expect(await connection.credentials.header()).toBeUndefined();
  });

  test('has certificates from the file itself', async () => {
    const [ca, cert, key] = [`${PEM}ca`, `${PEM}cert`, `${PEM}key`];
    const { tls } = await kubeconfigConnection(
      kubeconfig({
        cluster: { 'certificate-authority-data': base64(ca) },
        user: { 'client-certificate-data': base64(cert), 'client-key-data': base64(key) },
      }),
    );
    expect(tls).toEqual({ ca, cert, key });
  });

  test('has certificates from files beside it, and follows those', async () => {
    for (const name of ['ca', 'cert', 'key']) write(name, PEM + name);
    const connection = await kubeconfigConnection(
      kubeconfig({
        cluster: { 'certificate-authority': 'ca' },
        user: { 'client-certificate': './cert', 'client-key': join(folder, 'key') },
      }),
    );
    expect(connection.tls).toEqual({ ca: `${PEM}ca`, cert: `${PEM}cert`, key: `${PEM}key` });
    write('ca', `${PEM}renewed`);
    expect(connection.tls?.ca).toBe(`${PEM}renewed`);
  });

  // hack/decisions/0028 R10
  test('goes through a proxy of its own', async () => {
    const asked: string[] = [];
    using proxy = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: ({ url }) => {
        asked.push(url);
        return new Response('beyond');
      },
    });
    const cluster = { server: 'http://192.0.2.1:8080', 'proxy-url': `http://127.0.0.1:${proxy.port}` };
    const { send, server } = await kubeconfigConnection(kubeconfig({ cluster }));
    expect(await (await send?.(`${server}/version`, {}))?.text()).toBe('beyond');
    expect(asked).toEqual(['http://192.0.2.1:8080/version']);
  });

  test('looks for another name in the certificate, or at none at all', async () => {
    const cluster = { 'tls-server-name': 'kubernetes', 'insecure-skip-tls-verify': true };
    const { tls } = await kubeconfigConnection(kubeconfig({ cluster }));
    expect(tls).toEqual({ serverName: 'kubernetes', rejectUnauthorized: false });
  });
});

describe('credentials', () => {
  test('may be a token in a file, before one in the kubeconfig', async () => {
    write('token', 'of the file\n');
    expect(await header({ token: 'inline', tokenFile: 'token' })).toBe('Bearer of the file');
  });

  test('may be a password', async () => {
    expect(await header({ username: 'jane', password: 'wool' })).toBe(`Basic ${base64('jane:wool')}`);
  });

  test('may come from a program beside the kubeconfig', async () => {
    const apiVersion = 'client.authentication.k8s.io/v1beta1';
    const printed = JSON.stringify({ apiVersion, kind: 'ExecCredential', status: { token: 't' } });
    chmodSync(write('login', `#!/bin/sh\nprintf '%s' '${printed}'\n`), 0o755);
    expect(await header({ exec: { apiVersion, command: './login' } })).toBe('Bearer t');
  });

  test('may come from a program that is told of the cluster as kubectl tells it (hack/decisions/0028 R10)', async () => {
    write('ca.pem', PEM);
    const printed = JSON.stringify({ apiVersion: v1, kind: 'ExecCredential', status: { token: 'INFO' } });
    const script = `printf '%s' '${printed}' | sed "s|INFO|$(printf '%s' "$KUBERNETES_EXEC_INFO" | base64 | tr -d '\\n')|"`;
    const exec = { apiVersion: v1, command: 'sh', args: ['-c', script], provideClusterInfo: true };
    const extensions = [
      { name: 'other', extension: { not: 'this' } },
      { name: 'client.authentication.k8s.io/exec', extension: { audience: 'farm' } },
    ];
    const cluster = { 'certificate-authority': 'ca.pem', 'proxy-url': 'http://proxy:1', extensions };
    const told = (await header({ exec }, cluster))?.slice('Bearer '.length) ?? '';
    expect(JSON.parse(Buffer.from(told, 'base64').toString()).spec.cluster).toEqual({
      server: 'https://10.0.0.1:6443/',
      'certificate-authority-data': base64(PEM),
      'proxy-url': 'http://proxy:1',
      config: { audience: 'farm' },
    });
  });
});

describe('an error names the field and what to do:', () => {
  test.each([
    ['no context is chosen', { 'current-context': '' }, 'current-context is not set'],
    ['an unknown context', { 'current-context': 'x' }, 'contexts has no "x": it has here, there'],
    ['an unknown cluster', { clusters: [] }, 'clusters has no "c": it has nothing'],
    ['an unknown user', { users: [] }, 'users has no "u": it has nothing'],
    ['a cluster without a server', { clusters: [{ name: 'c', cluster: {} }] }, 'clusters[c].cluster.server is missing'],
    ['a server that is no URL', { cluster: { server: 'localhost:1' } }, 'clusters[c].cluster.server is "localhost:1"'],
    [
      'a proxy of another kind',
      { cluster: { 'proxy-url': 'socks5://p' } },
      'clusters[c].cluster.proxy-url is not an http or https URL',
    ],
    [
      'no PEM',
      { cluster: { 'certificate-authority-data': 'x' } },
      'clusters[c].cluster.certificate-authority-data holds no',
    ],
    ['a missing CA', { cluster: { 'certificate-authority': 'no/ca' } }, 'no/ca cannot be read'],
    [
      'a certificate alone',
      { user: { 'client-certificate-data': base64(PEM) } },
      'users[u].user.client-key is missing',
    ],
    ['a key alone', { user: { 'client-key-data': base64(PEM) } }, 'users[u].user.client-certificate is missing'],
    ['a missing token', { user: { tokenFile: 'no-token' } }, 'no-token cannot be read'],
    ['an auth-provider', { user: { 'auth-provider': { name: 'gcp' } } }, 'users[u].user.auth-provider is gone'],
    ['somebody else', { user: { as: 'jane' } }, 'users[u].user.as is not supported'],
    ['no program', { user: { exec: { apiVersion: v1 } } }, 'users[u].user.exec.command is missing'],
    [
      'an old program',
      { user: { exec: { command: 'x', apiVersion: 'v1alpha1' } } },
      'users[u].user.exec.apiVersion is v1',
    ],
    [
      'a program that asks',
      { user: { exec: { command: 'x', apiVersion: v1, interactiveMode: 'Always' } } },
      'users[u].user.exec.interactiveMode is Always',
    ],
  ])('%s', async (_what, config, says) => {
    const path = kubeconfig(config);
    const error: Error = await kubeconfigConnection(path).then(
      () => new Error('none'),
      (thrown) => thrown,
    );
    expect(error.message).toStartWith(`kubeconfig ${path}: `);
    expect(error.message).toContain(says);
  });

  test.each([
    ['no YAML', 'a: b: c', 'it is not YAML'],
    ['a list', '- a', 'it holds no kubeconfig'],
    ['nothing', '', 'it holds no kubeconfig'],
  ])('%s', async (_what, text, says) => {
    await expect(kubeconfigConnection(write('bad', text))).rejects.toThrow(says);
  });

  test('no file', async () => {
    await expect(kubeconfigConnection('/no/config')).rejects.toThrow('kubeconfig /no/config: the file cannot be read');
  });
});
