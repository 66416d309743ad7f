import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { secrets } from '../../controller/runtime/k8s/core.ts';
import { type ControllerProcess, startController } from '../api/support/controllerprocess.ts';
import { controlPlane } from '../api/support/controlplane.ts';
import { Herd } from '../api/support/herd.ts';

/**
 * Whoever reads statuses, events, logs and metrics, or what else the API server has of a machine, learns no value of a
 * Secret: neither of user data and credentials, nor of a bootstrap token, nor of a kubeconfig, however broken it is.
 */

setDefaultTimeout(180_000);

const USER_DATA = 'sentinel-of-user-data';
const CREDENTIAL = 'sentinel-of-a-credential';
const KUBECONFIG = 'sentinel-of-a-kubeconfig';

const herd = new Herd();
let controller: ControllerProcess;

/** Kubeconfigs that hold the sentinel where one may be read wrongly, refused or shown to a server; `at` is a server that answers. */
const kubeconfigs = (at: { server: string; ca: string }): Record<string, string> => {
  const to = { server: at.server, 'certificate-authority-data': btoa(at.ca) };
  return {
    refused: kubeconfig(to, { token: KUBECONFIG }),
    unreachable: kubeconfig({ server: 'https://127.0.0.1:1' }, { username: KUBECONFIG, password: KUBECONFIG }),
    unprintable: kubeconfig(to, { token: `${KUBECONFIG}\u0007` }),
    pem: kubeconfig(to, { 'client-certificate-data': btoa(KUBECONFIG), 'client-key-data': btoa(KUBECONFIG) }),
    base64: kubeconfig(to, { 'client-certificate-data': `${KUBECONFIG}!`, 'client-key-data': `${KUBECONFIG}!` }),
    command: kubeconfig(to, { exec: { command: 'login', args: [KUBECONFIG] } }),
    typed: kubeconfig(to, { token: { value: KUBECONFIG } }),
    userinfo: kubeconfig({ ...to, server: `https://jane:${KUBECONFIG}@127.0.0.1:1` }, {}),
    proxied: kubeconfig({ ...to, 'proxy-url': `http://jane:${KUBECONFIG}@127.0.0.1:1` }, {}),
    broken: `token: ${KUBECONFIG}: {\n  - [`,
    scalar: KUBECONFIG,
  };
};

const kubeconfig = (cluster: object, user: object): string =>
  JSON.stringify({
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });

/** The sentinel as it is, and in the three ways in which base64 may hold it. */
const formsOf = (text: string): string[] => [
  text,
  ...[0, 1, 2].map((shift) =>
    btoa(' '.repeat(shift) + text)
      .slice(shift === 0 ? 0 : 4)
      .slice(0, -4),
  ),
];

const secret = (name: string, stringData: Record<string, string>) =>
  herd.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData });

/** Makes a Cluster whose kubeconfig is this text. */
async function makeCluster([name, text]: readonly [string, string]): Promise<void> {
  await secret(name, { kubeconfig: text });
  await herd.apply({
    apiVersion: 'drover.dev/v1alpha1',
    kind: 'Cluster',
    metadata: { name },
    spec: { kubeconfigSecretRef: { name } },
  });
}

/** Everything that is told of the herd. */
async function told(): Promise<Record<string, string>> {
  const pages = await Promise.all(['/metrics', '/healthz', '/readyz'].map((path) => fetch(controller.url + path)));
  return {
    objects: await herd.kubectl('get', 'mcd,mcs,mc,mcc,dcl,events,nodes,leases', '--all-namespaces', '-o', 'json'),
    vms: JSON.stringify(await herd.vms()),
    logs: (await controller.lines()).join('\n'),
    pages: (await Promise.all(pages.map((page) => page.text()))).join('\n'),
  };
}

beforeAll(async () => {
  const cluster = await controlPlane();
  herd.settle(cluster, await cluster.namespace('secrets'));
  controller = await startController({ cluster, namespace: herd.namespace, flags: ['--log-level=debug'] });
  await controller.working();
});

afterAll(async () => {
  await controller?.stop();
  await herd.leave();
});

/** A class whose user data, credentials and failing calls there is much to tell of. */
async function makeClass(): Promise<void> {
  await secret('data', { userData: `${USER_DATA} <<BOOTSTRAP_TOKEN>>` });
  await secret('cloud', { accessKey: CREDENTIAL });
  const answer = { times: 1, answer: 'Unavailable' };
  const calls = ['createMachine', 'getMachineStatus', 'deleteMachine'].map((method) => ({ method, ...answer }));
  await herd.apply({
    apiVersion: 'machine.sapcloud.io/v1alpha1',
    kind: 'MachineClass',
    metadata: { name: 'told' },
    provider: 'virtual',
    providerSpec: { faults: { calls, vms: [{ machine: 'late', fate: 'NeverJoins' }] } },
    secretRef: { name: 'data' },
    credentialsSecretRef: { name: 'cloud' },
  });
}

/** The secret halves of the herd's bootstrap tokens. */
async function tokens(): Promise<string[]> {
  const labelSelector = `drover.dev/machine-namespace=${herd.namespace}`;
  const { items } = await herd.api.list(secrets, { namespace: 'kube-system', labelSelector });
  return items.map(({ data }) => atob(data?.['token-secret'] ?? ''));
}

const wait = (...words: string[]) => herd.kubectl('wait', ...words, '--timeout=60s');

test('no value of a Secret is told by objects, events, logs or metrics', async () => {
  await makeClass();
  for (const name of ['runs', 'late', 'goes']) await herd.apply(herd.alone(name, 'told'));
  const clusters = kubeconfigs({ server: herd.cluster.admin.server, ca: String(herd.cluster.admin.tls?.ca) });
  for (const cluster of Object.entries(clusters)) await makeCluster(cluster);
  await wait('mc/runs', 'mc/goes', '--for=jsonpath={.status.currentStatus.phase}=Running');
  const values = [USER_DATA, CREDENTIAL, KUBECONFIG, ...(await tokens())];
  expect(values.length).toBeGreaterThan(3);
  await herd.kubectl('delete', 'mc/goes', '--timeout=60s');
  await wait('dcl', '--all', '--for=condition=Reachable=False');

  const found = Object.entries(await told()).flatMap(([where, text]) =>
    values.flatMap(formsOf).flatMap((form) => {
      const at = text.indexOf(form);
      return at < 0 ? [] : [`${where}: …${text.slice(Math.max(0, at - 200), at + 100)}…`];
    }),
  );
  expect(found).toEqual([]);
  const stored = await herd.kubectl('get', 'secrets', '-o', 'json');
  const hidden = [USER_DATA, CREDENTIAL, KUBECONFIG].filter(
    (value) => !formsOf(value).some((form) => stored.includes(form)),
  );
  expect(hidden).toEqual([]);
});
