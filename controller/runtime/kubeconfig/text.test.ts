import { afterAll, describe, expect, spyOn, test } from 'bun:test';
import fs, { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { FakeClock } from '../clock.fake.ts';
import { trustIn } from '../dns/embedded.ts';
import { clusterKeys, contextKeys, userKeys } from './fields.ts';
import { selfContainedConnection as connectionIn } from './text.ts';

// hack/decisions/0028 R1

const PEM = '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----';
const base64 = (text: string) => Buffer.from(text).toString('base64');

const folder = mkdtempSync(join(tmpdir(), 'kubeconfigtext-'));
afterAll(() => rmSync(folder, { recursive: true }));

const OURS = 'THE-CONTROLLERS-OWN-TOKEN';
const file = join(folder, 'token');
writeFileSync(file, OURS);

interface Parts {
  cluster?: object;
  user?: object;
  context?: object;
  users?: object[];
}

const textOf = ({ cluster, user, context, users = [] }: Parts): string =>
  JSON.stringify({
    clusters: [{ name: 'c', cluster: { server: 'https://192.0.2.1:6443/', ...cluster } }],
    users: [...users, { name: 'u', user: { token: 't', ...user } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', ...context } }],
    'current-context': 'x',
  });

const selfContainedConnection = (text: string, allowed: string[] = []) =>
  connectionIn(text, {
    trust: trustIn(allowed),
    clock: new FakeClock(),
    resolve: async () => [],
    proxies: () => undefined,
  });

const read = (parts: Parts, allowed?: string[]) => selfContainedConnection(textOf(parts), allowed);

function errorOf(parts: Parts, allowed?: string[]): string {
  try {
    read(parts, allowed);
  } catch (error) {
    return (error as Error).message;
  }
  return 'none';
}

describe('a kubeconfig of a Secret is a connection by itself', () => {
  test('with a token', async () => {
    const connection = read({ context: { namespace: 'farm' } });
    expect(connection).toMatchObject({ server: 'https://192.0.2.1:6443', namespace: 'farm', tls: {} });
    expect(await connection.credentials.header()).toBe('Bearer t');
  });

  test('with certificates', () => {
    const [ca, cert, key] = [`${PEM}ca`, `${PEM}cert`, `${PEM}key`];
    const { tls } = read({
      cluster: { 'certificate-authority-data': base64(ca), 'tls-server-name': 'kubernetes' },
      user: { 'client-certificate-data': base64(cert), 'client-key-data': base64(key) },
    });
    expect(tls).toEqual({ ca, cert, key, serverName: 'kubernetes' });
  });

  // hack/decisions/0028 O26
  test('with keys that say nothing, and a token with the end of its line, as tools write them', async () => {
    const { credentials } = read({
      cluster: { 'certificate-authority': '' },
      user: { token: 'abc\n', tokenFile: '', 'as-groups': [], 'as-user-extra': {}, exec: null },
    });
    expect(await credentials.header()).toBe('Bearer abc');
  });

  test('with a password, and with nobody', async () => {
    const { credentials } = read({ user: { token: null, username: 'jane', password: 'wool' } });
    expect(await credentials.header()).toBe(`Basic ${base64('jane:wool')}`);
    expect(await read({ context: { user: '' } }).credentials.header()).toBeUndefined();
  });
});

/** Every key of client-go (tools/clientcmd/api/v1/types.go) that is not read. */
const refused = {
  user: ['client-certificate', 'client-key', 'tokenFile', 'exec', 'auth-provider'],
  impersonating: ['as', 'as-uid', 'as-groups', 'as-user-extra'],
  cluster: ['certificate-authority'],
};

/** Every key that client-node's reader of kubeconfigs knows, whatever the field is called with us. */
async function keysOfClientNode(): Promise<string[]> {
  const source = await Bun.file(resolve('node_modules/@kubernetes/client-node/dist/config_types.js')).text();
  const found = source.matchAll(/(?:elt\.)?\b(?:user|cluster|context)(?:\['([\w-]+)'\]|\.(\w+))/g);
  return [...new Set([...found].map(([, quoted, plain]) => quoted ?? plain ?? ''))];
}

describe('any other key is refused by its path and opens no file:', () => {
  test.each([
    ...[...refused.user, ...refused.impersonating].map((key) => ['user', 'users[u].user', key] as const),
    ...refused.cluster.map((key) => ['cluster', 'clusters[c].cluster', key] as const),
    // client-node's own spelling, which read the file while the kubeconfig was parsed
    ['user', 'users[u].user', 'token-file'] as const,
    ['user', 'users[u].user', 'token_file'] as const,
    ['cluster', 'clusters[c].cluster', 'caFile'] as const,
    ['context', 'contexts[x].context', 'exec'] as const,
  ])('%s: %s.%s', (part, path, key) => {
    const spies = [spyOn(fs, 'readFileSync'), spyOn(fs, 'openSync'), spyOn(fs, 'statSync'), spyOn(Bun, 'file')];
    try {
      expect(errorOf({ [part]: { [key]: file } })).toStartWith(`${path}.${key} is refused in a kubeconfig of a Secret`);
      for (const spy of spies) expect(spy).not.toHaveBeenCalled();
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  });

  test('so are all that client-node knows, but those that say all by themselves', async () => {
    const known = await keysOfClientNode();
    expect(known).toContain('token-file');
    const taken = Object.keys({ ...userKeys, ...clusterKeys, ...contextKeys });
    for (const key of known.filter((one) => !taken.includes(one)))
      for (const part of ['user', 'cluster', 'context']) expect(errorOf({ [part]: { [key]: file } })).toContain(key);
  });

  test('of users that are not chosen none is read', async () => {
    const connection = read({
      users: [{ name: 'other', user: { 'token-file': '/dev/zero', tokenFile: '/dev/zero' } }],
    });
    expect(await connection.credentials.header()).toBe('Bearer t');
  });

  test('a key that stands in the prototype is none', async () => {
    const text = textOf({}).replace('"token":"t"', '"token":"t","__proto__":{"tokenFile":"/x"}');
    expect(() => selfContainedConnection(text)).toThrow('users[u].user.__proto__ is refused');
  });
});

test('neither the module nor any that it imports can open a file or start a program', async () => {
  const seen = new Set<string>();
  const visit = async (path: string): Promise<void> => {
    if (seen.has(path)) return;
    seen.add(path);
    const source = await Bun.file(path).text();
    expect(source).not.toMatch(/Bun\.(file|spawn|spawnSync|\$)|import\(/);
    for (const { path: to } of new Bun.Transpiler({ loader: 'ts' }).scanImports(source)) {
      expect(to).not.toMatch(/fs|child_process|client-node/);
      if (to.startsWith('.')) await visit(resolve(dirname(path), to));
    }
  };
  await visit(join(import.meta.dir, 'text.ts'));
  expect(seen.size).toBeGreaterThan(3);
});

describe('an error names the field:', () => {
  test.each<[string, Parts, string]>([
    ['no server', { cluster: { server: null } }, 'clusters[c].cluster.server is missing'],
    ['no URL', { cluster: { server: 'ftp://x' } }, 'clusters[c].cluster.server is not an http or https URL'],
    ['no text', { user: { token: 7 } }, 'users[u].user.token is not text'],
    [
      'no flag',
      { cluster: { 'insecure-skip-tls-verify': 'yes' } },
      'insecure-skip-tls-verify is neither true nor false',
    ],
    ['no PEM', { cluster: { 'certificate-authority-data': 'x' } }, 'certificate-authority-data holds no PEM'],
    ['half a pair', { user: { 'client-key-data': base64(PEM) } }, 'users[u].user.client-certificate is missing'],
    ['a header of its own', { user: { token: 't\nx-remote-user: admin' } }, 'users[u].user.token holds characters'],
  ])('%s', (_what, parts, says) => {
    expect(errorOf(parts)).toContain(says);
  });

  test.each([
    ['no YAML', 'token: secret: x', 'it is not YAML'],
    ['a list', '- a', 'it holds no kubeconfig'],
    ['no context', 'current-context: ""', 'current-context is not set'],
    ['a context that is no text', 'current-context: [a]', 'current-context is not set'],
    ['a user that is no map', textOf({}).replace('{"token":"t"}', '"t"'), 'users[u].user is not a map'],
  ])('%s', (_what, text, says) => {
    expect(() => selfContainedConnection(text)).toThrow(says);
  });
});

// hack/decisions/0028 W7
describe('the server of a Cluster', () => {
  test.each([
    ['https://h.example', 'https://h.example'],
    ['https://h.example:6443/', 'https://h.example:6443'],
    ['https://h.example/k8s/clusters/c-1/', 'https://h.example/k8s/clusters/c-1'],
    ['https://10.96.0.1', 'https://10.96.0.1'],
    ['https://kubernetes.default.svc', 'https://kubernetes.default.svc'],
    ['https://[fd00::1]:6443', 'https://[fd00::1]:6443'],
  ])('may be %s', (server, is) => {
    expect(read({ cluster: { server } }).server).toBe(is);
  });

  test.each([
    ['http://h.example', 'is not an https URL'],
    ['https://h.example/admin?x=', 'has a query, a fragment or a user'],
    ['https://h.example/admin#', 'has a query, a fragment or a user'],
    ['https://h.example?', 'has a query, a fragment or a user'],
    ['https://jane:wool@h.example', 'has a query, a fragment or a user'],
    ['https://127.0.0.1:6443', '127.0.0.1 is a loopback address'],
    ['https://2130706433', '127.0.0.1 is a loopback address'],
    ['https://0x7f.1', '127.0.0.1 is a loopback address'],
    ['https://[::ffff:127.0.0.1]', 'is a loopback address'],
    ['https://[::1]', '::1 is a loopback address'],
    ['https://169.254.169.254', 'is a link-local address'],
    ['https://[fe80::1]', 'is a link-local address'],
    ['https://0', '0.0.0.0 is no address of a host'],
    ['https://100.100.100.200', "is the address of a cloud's metadata service"],
  ])('may not be %s', (server, says) => {
    const error = errorOf({ cluster: { server } });
    expect(error).toStartWith('clusters[c].cluster.server ');
    expect(error).toContain(says);
    expect(error).not.toContain('wool');
  });

  test.each([
    ['http://127.0.0.1:8080', '127.0.0.0/8'],
    ['http://h.example', '.example'],
    ['https://[::1]', '::1'],
  ])('may be %s where the operator vouches for %s', (server, allowed) => {
    expect(read({ cluster: { server } }, [allowed]).server).toBe(server);
    expect(() => read({ cluster: { server, 'insecure-skip-tls-verify': true } }, [allowed])).not.toThrow();
  });

  test('is not taken on trust', () => {
    const parts = { cluster: { server: 'https://h.example', 'insecure-skip-tls-verify': true } };
    expect(errorOf(parts)).toContain(
      'insecure-skip-tls-verify is refused unless --cluster-server-allow names h.example',
    );
    expect(errorOf({ cluster: { ...parts.cluster, 'insecure-skip-tls-verify': false } })).toBe('none');
  });
});

// hack/decisions/0028 R10
test.each([
  ['https://proxy.example', 'is not an http URL'],
  ['socks5://proxy.example', 'is not an http or https URL'],
  ['http://127.0.0.1:3128', 'is a loopback address'],
  ['http://jane:wool@proxy.example', 'has a query, a fragment or a user'],
])('its proxy may not be %s', (proxy, says) => {
  const error = errorOf({ cluster: { 'proxy-url': proxy } });
  expect(error).toStartWith('clusters[c].cluster.proxy-url ');
  expect(error).toContain(says);
});

// hack/decisions/0028 W8, D1: a short text that says much, in the memory of the process or in a message.
describe('a text that would grow is refused in a few words:', () => {
  const long = `s: &s ${'x'.repeat(5_000)}\nl: &l [${'*s, '.repeat(300)}*s]\n`;
  const textOf = (contexts: string) => `${long}current-context: q\ncontexts:\n${contexts}`;

  test.each([
    ['names that are lists', textOf('- {name: *l}\n'.repeat(300)), 'it has anchors and aliases'],
    [
      'a name that is referred to',
      textOf('- {name: q, context: {cluster: *l}}\nclusters: [{name: *l}]'),
      'it has anchors and aliases',
    ],
    [
      'many names',
      `current-context: q\ncontexts:\n${Array.from({ length: 300 }, (_, n) => `- {name: c${n}}`).join('\n')}`,
      'c4 and 295 more',
    ],
    ['maps that are merged', 'm0: &m0 {a: 1}\nm1: {<<: *m0}\n', 'it has anchors and aliases'],
    [
      'maps that are merged under another spelling',
      'm0: &m0 {a: 1}\nm1: {"\\x3c<": *m0}\n',
      'it has anchors and aliases',
    ],
    ['maps that are merged by a list', 'm0: &é {a: 1}\nm1: {<<: [*é]}\n', 'it has anchors and aliases'],
    ['maps that are merged without anchors', '{<<: {<<: {a: 1}}}', 'it has a merge key'],
    ['a name that is long', `current-context: q\ncontexts:\n- {name: ${'x'.repeat(5_000)}}`, 'contexts has no "q"'],
    ['one that is too long', `# ${'x'.repeat(70_000)}`, 'more than 65536 characters'],
  ])('%s', (_what, text, says) => {
    let message = '';
    try {
      selfContainedConnection(text);
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain(says);
    expect(message.length).toBeLessThan(500);
  });
});

test.each(['a<<b', 'R&D', '2*3', '& then *', '%26*x'])('a password may be %s', async (password) => {
  const { credentials } = read({ user: { token: '', username: 'jane', password } });
  expect(await credentials.header()).toBe(`Basic ${btoa(`jane:${password}`)}`);
});
