import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openAuthority } from '../../hack/controlplane/pki.ts';
import { type OwnCluster, ownControlPlane } from './support/controlplane.ts';
import { admitHerders, startRegistered, type WebhookProcess } from './support/webhookprocess.ts';

// hack/decisions/0028 W6: the API server shows the webhook a certificate, as AdmissionConfiguration tells it to.

const folder = mkdtempSync(join(tmpdir(), 'webhook-clients-'));
const config = 'apiserver.config.k8s.io/v1';

let cluster: OwnCluster;
let webhook: WebhookProcess;
let namespace: string;

beforeAll(async () => {
  const authority = await openAuthority(folder, 'clients');
  const pair = await authority.issue({ commonName: 'kube-apiserver' });
  const files = {
    ca: join(folder, 'clients-ca.crt'),
    cert: join(folder, 'client.crt'),
    key: join(folder, 'client.key'),
  };
  const kubeConfigFile = join(folder, 'webhooks.kubeconfig');
  const admission = join(folder, 'admission.yaml');
  const user = { 'client-certificate': files.cert, 'client-key': files.key };
  const configuration = { apiVersion: config, kind: 'WebhookAdmissionConfiguration', kubeConfigFile };
  const plugins = ['Mutating', 'Validating'].map((which) => ({ name: `${which}AdmissionWebhook`, configuration }));
  await Promise.all([
    Bun.write(files.ca, authority.ca),
    Bun.write(files.cert, pair.cert),
    Bun.write(files.key, pair.key),
    Bun.write(kubeConfigFile, JSON.stringify({ apiVersion: 'v1', kind: 'Config', users: [{ name: '*', user }] })),
    Bun.write(admission, JSON.stringify({ apiVersion: config, kind: 'AdmissionConfiguration', plugins })),
  ]);
  cluster = await ownControlPlane({ flags: [`--admission-control-config-file=${admission}`] });
  namespace = await cluster.namespace('clients');
  await admitHerders(cluster, namespace);
  webhook = await startRegistered(cluster, [`--client-ca-file=${files.ca}`]);
}, 180_000);

afterAll(async () => {
  await webhook?.stop();
  await cluster?.end();
  rmSync(folder, { recursive: true });
});

const machineSet = (name: string, matchLabels: object) =>
  JSON.stringify({
    apiVersion: 'machine.sapcloud.io/v1alpha1',
    kind: 'MachineSet',
    metadata: { namespace, name },
    spec: {
      selector: { matchLabels },
      template: { metadata: { labels: { app: 'a' } }, spec: { class: { kind: 'MachineClass', name: 'small' } } },
    },
  });

const create = (name: string, matchLabels: object) =>
  cluster.kubectl(['create', '--as=alice', '-f', '-'], { stdin: machineSet(name, matchLabels) });

test('an API server with a certificate has its reviews answered', async () => {
  expect(await create('good', { app: 'a' })).toMatchObject({ code: 0 });
  expect((await create('bad', {})).stderr).toContain('spec.selector');
});

test('whoever has none is not heard, and may ask whether the program is well', async () => {
  const call = (path: string, init: RequestInit = {}) =>
    fetch(`https://127.0.0.1:${webhook.port}${path}`, { ...init, tls: { rejectUnauthorized: false } });
  for (const path of ['/validate', '/mutate']) {
    const answer = await call(path, { method: 'POST', body: '{}' });
    expect([answer.status, await answer.text()]).toEqual([
      401,
      'Reviews take a client certificate of an authority in --client-ca-file.',
    ]);
  }
  expect((await call('/readyz')).status).toBe(200);
});
