import { issueAuthority, issueLeaf } from '../../../webhook/certificate/authority.ts';
import type { Case } from '../case.ts';
import { pool, raise } from '../herd.ts';
import { installOwn, ownRelease, uninstallOwn } from '../own.ts';
import { fullname } from '../release.ts';
import { expectSays } from '../said.ts';
import type { Scene } from '../scene.ts';

const SECRET = 'from-elsewhere';

/** A certificate that somebody else makes. */
export const tlsProvided: Case = {
  name: 'tls-provided',
  shows: 'with a certificate of the user the webhook judges, by its authority as the Secret or the user names it',
  needs: { release: 'own' },
  async run(scene) {
    await provide(scene);
    const provided = { secretName: SECRET, withAuthority: true };
    await installOwn(scene, { webhook: { tls: { mode: 'provided', provided } } });
    await expectJudging(scene);
  },
  cleanUp: uninstallOwn,
};

/** A certificate that cert-manager makes. */
export const tlsCertManager: Case = {
  name: 'tls-cert-manager',
  shows: 'with a certificate of cert-manager the webhook judges',
  needs: { release: 'own' },
  async run(scene) {
    await scene.surroundings.certManager;
    const crd = 'certificates.cert-manager.io';
    const { code } = await scene.terminal.tryKubectl(['get', 'crd', crd]);
    if (code !== 0) scene.skip('the cluster has no cert-manager; --with-cert-manager installs it on one that is made');
    await installOwn(scene, { webhook: { tls: { mode: 'certManager' } } });
    await expectJudging(scene);
  },
  cleanUp: uninstallOwn,
};

async function provide(scene: Scene): Promise<void> {
  const now = Date.now();
  const authority = await issueAuthority(now);
  const service = `${fullname(ownRelease(scene))}-webhook.${scene.namespace}.svc`;
  const leaf = await issueLeaf(authority, [service], now);
  const stringData = { 'ca.crt': authority.cert, 'tls.crt': leaf.cert, 'tls.key': leaf.key };
  await scene.apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: SECRET },
    type: 'kubernetes.io/tls',
    stringData,
  });
}

/** A herd gets in, and what is wrong does not. */
async function expectJudging(scene: Scene): Promise<void> {
  const said = await scene.refused(pool(0, 'wrong', { selector: { matchLabels: { pool: 'other' } } }));
  expectSays(said, 'spec.selector: must match spec.template.metadata.labels');
  await raise(scene, 1);
}
