import {
  type CertificateSet,
  dataOf,
  issueAuthority,
  issueLeaf,
  LEAF_MS,
  readCertificates,
} from '../../../webhook/certificate/authority.ts';
import { factsOf } from '../../../webhook/certificate/keypair.ts';
import type { Case } from '../case.ts';
import { pool, virtualClass } from '../herd.ts';
import { metricsOf, sumOf } from '../metrics.ts';
import { podsOf, shared, whenReplaced } from '../release.ts';
import { expectThat } from '../said.ts';
import type { Scene, Seen } from '../scene.ts';

const DAY_MS = 24 * 3600 * 1000;
const SECRET = `${shared.name}-webhook-tls`;

/** A webhook that was away for so long that its certificate is of no use any more. */
export const certificate: Case = {
  name: 'certificate',
  shows: 'an expired certificate, and an expired authority, are renewed when the webhook comes back, and writes go on',
  needs: { release: 'shared', alone: true },
  async run(scene) {
    await scene.apply(virtualClass(), pool(0, 'quiet'));
    const before = await holding(scene);
    await returnWith(scene, await expiredLeaf(before));
    const renewed = await holding(scene);
    expectThat(renewed.authorityKey === before.authorityKey, 'the authority was replaced though it was still good');
    await returnWith(scene, await expiredAuthority());
    const after = await holding(scene);
    expectThat(after.authorities[0] !== renewed.authorities[0], 'an expired authority was not replaced');
    await expectDaysLeft(scene);
  },
};

/** All pods die, find this in the Secret when they come back, and serve something better. */
async function returnWith(scene: Scene, expired: CertificateSet): Promise<void> {
  const pods = await podsOf(scene, shared, 'webhook');
  const patch = JSON.stringify({ data: dataOf(expired) });
  await scene.kubectl('patch', 'secret', SECRET, '-n', shared.namespace, '--type=merge', '-p', patch);
  const names = pods.map(({ metadata }) => metadata.name);
  await scene.kubectl('delete', 'pod', ...names, '-n', shared.namespace, '--grace-period=0', '--force');
  await whenReplaced(scene, shared, pods);
  await scene.until('a write to be let in', async () => {
    await scene.kubectl('label', 'mcd', 'quiet', `e2e=${Date.now()}`, '--overwrite');
    return true;
  });
  const { leaf } = await holding(scene);
  const { to = 0 } = factsOf(leaf.cert) ?? {};
  expectThat(to > Date.now() + DAY_MS, `the certificate in use ends ${new Date(to).toISOString()}`);
}

async function holding(scene: Scene): Promise<CertificateSet> {
  const { metadata, data } = await scene.get<Seen & { data: Record<string, string> }>(
    'secret',
    SECRET,
    '-n',
    shared.namespace,
  );
  const found = readCertificates({ metadata: { name: metadata.name }, data });
  if (found) return found;
  throw new Error(`Secret ${shared.namespace}/${SECRET} holds no certificate with its authority`);
}

async function expiredLeaf(before: CertificateSet): Promise<CertificateSet> {
  const [cert = ''] = before.authorities;
  const past = Date.now() - LEAF_MS - DAY_MS;
  return { ...before, leaf: await issueLeaf({ cert, key: before.authorityKey }, names, past) };
}

async function expiredAuthority(): Promise<CertificateSet> {
  const past = Date.now() - 400 * DAY_MS;
  const authority = await issueAuthority(past);
  return { authorities: [authority.cert], authorityKey: authority.key, leaf: await issueLeaf(authority, names, past) };
}

const names = [`${shared.name}-webhook.${shared.namespace}.svc`];

/** What the alert on certificates looks at. */
async function expectDaysLeft(scene: Scene): Promise<void> {
  const [pod] = await podsOf(scene, shared, 'webhook');
  if (!pod) throw new Error('there is no webhook pod');
  const days = sumOf(
    await metricsOf(scene, shared, pod),
    'drover_webhook_certificate_expiry_days{certificate="serving"}',
  );
  expectThat(days > 25, `the metric says that the certificate has ${days} days left`);
}
