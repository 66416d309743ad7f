import { beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Api, type Connection, isUnauthorized } from '../../controller/runtime/client/api.ts';
import { errorOf } from '../../controller/runtime/client/errors.fixture.ts';
import { inClusterConnection } from '../../controller/runtime/client/incluster.ts';
import { systemClock } from '../../controller/runtime/clock.ts';
import type { KubeObject, Resource } from '../../controller/runtime/k8s/object.ts';
import { kubeconfigConnection } from '../../controller/runtime/kubeconfig/kubeconfig.ts';
import { type Cluster, controlPlane } from './support/controlplane.ts';

const selves: Resource<KubeObject & { status?: { userInfo: { username: string } } }> = {
  group: 'authentication.k8s.io',
  version: 'v1',
  plural: 'selfsubjectreviews',
  kind: 'SelfSubjectReview',
  namespaced: false,
};

let cluster: Cluster;
let namespace: string;
let token: string;
let shepherd: string;

beforeAll(async () => {
  cluster = await controlPlane();
  namespace = await cluster.namespace('credentials');
  ({ token } = await cluster.serviceAccount(namespace, 'shepherd'));
  shepherd = `system:serviceaccount:${namespace}:shepherd`;
}, 180_000);

/** A file in the test's folder. */
function write(name: string, text: string): string {
  const path = join(cluster.folder, namespace, name);
  mkdirSync(join(cluster.folder, namespace), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** As whom the API server knows us. */
async function whoAmI(connection: Connection): Promise<string | undefined> {
  const api = new Api({ connection, clock: systemClock });
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: { name: '' } };
  return (await api.create(selves, review)).status?.userInfo.username;
}

describe('a pod', () => {
  /** A connection as a pod has it, from files that the test rewrites. */
  function podConnection(): Connection {
    write('namespace', namespace);
    const { hostname, port } = new URL(cluster.admin.server);
    const env = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
    return inClusterConnection({ env, folder: join(cluster.folder, namespace) });
  }

  beforeEach(() => {
    write('token', `${token}\n`);
    write('ca.crt', cluster.admin.tls?.ca ?? '');
  });

  test('is known by its token', async () => {
    expect(await whoAmI(podConnection())).toBe(shepherd);
  });

  test('uses another token as soon as the file has it', async () => {
    write('token', 'expired\n');
    const connection = podConnection();
    expect(isUnauthorized(await errorOf(whoAmI(connection)))).toBe(true);
    write('token', token);
    expect(await whoAmI(connection)).toBe(shepherd);
  });

  test('makes a call once more with a token that came while the old one was refused', async () => {
    write('token', 'expired\n');
    const connection = podConnection();
    const { header, refresh } = connection.credentials;
    const rotate = () => {
      write('token', token);
      refresh();
    };
    expect(await whoAmI({ ...connection, credentials: { header, refresh: rotate } })).toBe(shepherd);
  });

  test('trusts another CA as soon as the file has it, and no server without one', async () => {
    write('ca.crt', cluster.admin.tls?.cert ?? '');
    const connection = podConnection();
    const error = await errorOf(whoAmI(connection));
    expect(error).toMatchObject({ reason: 'NetworkError', mayHaveActed: false });
    expect(error.message).toContain('certificate');
    write('ca.crt', cluster.admin.tls?.ca ?? '');
    expect(await whoAmI(connection)).toBe(shepherd);
  });
});

describe('a kubeconfig', () => {
  /** Writes a kubeconfig for this cluster; JSON is YAML. */
  function kubeconfig(user: Record<string, unknown>, more: Record<string, unknown> = {}): string {
    write('ca', cluster.admin.tls?.ca ?? '');
    const to = { server: cluster.admin.server, 'certificate-authority': 'ca', ...more };
    const config = {
      clusters: [{ name: 'c', cluster: to }],
      users: [{ name: 'u', user }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    };
    return write('kubeconfig', JSON.stringify(config));
  }

  const iAm = async (path: string) => whoAmI(await kubeconfigConnection(path));

  test('with a client certificate in it', async () => {
    const { kubeconfig: path } = await cluster.user('jane');
    expect(await iAm(path)).toBe('jane');
  });

  test('with a client certificate in files', async () => {
    const { tls } = (await cluster.user('joan')).connection;
    write('cert', tls?.cert ?? '');
    write('key', tls?.key ?? '');
    expect(await iAm(kubeconfig({ 'client-certificate': 'cert', 'client-key': 'key' }))).toBe('joan');
  });

  test('with a token', async () => {
    expect(await iAm(kubeconfig({ token }))).toBe(shepherd);
  });

  test('with a token in a file', async () => {
    write('user-token', `${token}\n`);
    expect(await iAm(kubeconfig({ tokenFile: 'user-token' }))).toBe(shepherd);
  });

  test('with nobody: the API server calls that anonymous', async () => {
    expect(isUnauthorized(await errorOf(iAm(kubeconfig({ token: 'nonsense' }))))).toBe(true);
    const { message } = await errorOf(iAm(kubeconfig({})));
    expect(message).toContain('system:anonymous');
  });

  test.each(['v1', 'v1beta1'])('with a program that prints a token, protocol %s', async (version) => {
    const apiVersion = `client.authentication.k8s.io/${version}`;
    const printed = { apiVersion, kind: 'ExecCredential', status: { token } };
    chmodSync(write('login', `#!/bin/sh\nprintf '%s' '${JSON.stringify(printed)}'\n`), 0o755);
    expect(await iAm(kubeconfig({ exec: { apiVersion, command: './login' } }))).toBe(shepherd);
  });

  test('with a program that prints a client certificate', async () => {
    const { tls } = (await cluster.user('judy')).connection;
    const apiVersion = 'client.authentication.k8s.io/v1';
    const status = { clientCertificateData: tls?.cert, clientKeyData: tls?.key };
    const path = write('credential', JSON.stringify({ apiVersion, kind: 'ExecCredential', status }));
    expect(await iAm(kubeconfig({ exec: { apiVersion, command: 'cat', args: [path] } }))).toBe('judy');
  });

  test('without a CA trusts nobody, unless it says that it trusts everybody', async () => {
    const none = { 'certificate-authority': undefined };
    expect(await errorOf(iAm(kubeconfig({ token }, none)))).toMatchObject({ reason: 'NetworkError' });
    expect(await iAm(kubeconfig({ token }, { ...none, 'insecure-skip-tls-verify': true }))).toBe(shepherd);
  });

  test('looks for the name that it gives in the server’s certificate', async () => {
    expect(await iAm(kubeconfig({ token }, { 'tls-server-name': 'localhost' }))).toBe(shepherd);
    const error = await errorOf(iAm(kubeconfig({ token }, { 'tls-server-name': 'elsewhere' })));
    expect(error.message).toContain('ERR_TLS_CERT_ALTNAME_INVALID');
  });
});
