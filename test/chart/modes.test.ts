import { beforeAll, expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../hack/lib/until.ts';
import { issueAuthority, issueLeaf } from '../../webhook/certificate/authority.ts';
import type { OwnCluster } from '../api/support/controlplane.ts';
import { bundleIn, established, install, sharedPlane } from './cluster.ts';
import { foreign } from './foreign.ts';
import type { Values } from './helm.ts';
import { Release } from './release.ts';
import { type Started, startFrom } from './started.ts';

let cluster: OwnCluster;
let folder: string;
let authority: string;

beforeAll(async () => {
  cluster = await sharedPlane();
  await install(cluster, [foreign('cert-manager.io', 'v1', 'Issuer'), foreign('cert-manager.io', 'v1', 'Certificate')]);
  folder = join(cluster.folder, 'tls');
  mkdirSync(folder);
  const issued = await issueAuthority(Date.now());
  const leaf = await issueLeaf(issued, ['127.0.0.1'], Date.now());
  authority = issued.cert;
  const files = { 'tls.crt': leaf.cert, 'tls.key': leaf.key, 'ca.crt': issued.cert };
  await Promise.all(Object.entries(files).map(([name, text]) => Bun.write(join(folder, name), text)));
}, 180_000);

/** Installs a release with these values, and runs its webhook with the files as they would be mounted. */
async function whileServing(set: Values, flags: readonly string[], work: (webhook: Started) => Promise<void>) {
  const release = new Release(cluster);
  await release.install({ set: { 'controller.enabled': false, ...set } });
  await established(cluster);
  const more = (kubeconfig: string) => [`--kubeconfig=${kubeconfig}`, ...flags];
  const webhook = await startFrom(release, { deployment: 'drover-webhook', flags: more });
  try {
    await work(webhook);
    expect((await webhook.metrics()).split('\n').filter((line) => line.includes('code="403"'))).toEqual([]);
  } finally {
    await webhook.stop();
    await release.uninstall();
  }
}

const provided = { 'webhook.tls.mode': 'provided', 'webhook.tls.provided.secretName': 'mine' };
const mounted = () => [`--tls-folder=${folder}`];

test.each<[string, Values]>([
  ['of cert-manager', { 'webhook.tls.mode': 'certManager' }],
  ['of a Secret that names its authority', { ...provided, 'webhook.tls.provided.withAuthority': true }],
])('with a certificate %s the webhook makes that known, with just its rights', async (_title, set) => {
  await whileServing(set, mounted(), async () => {
    const known = async () => (await bundleIn(cluster)).every((bundle) => bundle === authority);
    await until('the authority to be known', known, { timeoutMs: 20_000 });
  });
});

test('with a certificate of the user the webhook serves it, and leaves the caBundle to him', async () => {
  const flags = [`--tls-cert-file=${join(folder, 'tls.crt')}`, `--tls-key-file=${join(folder, 'tls.key')}`];
  await whileServing(provided, flags, async ({ base }) => {
    const ready = async () => (await fetch(`${base}/readyz`, { tls: { ca: authority } })).ok;
    await until('the webhook to be ready', ready, { timeoutMs: 20_000 });
    expect(new Set(await bundleIn(cluster))).toEqual(new Set(['']));
  });
});
