import type { Case } from '../case.ts';
import { pool, raise } from '../herd.ts';
import { installOwn, ownRelease, uninstallOwn } from '../own.ts';
import { hostOf, probe, runPod } from '../probe.ts';
import { fullname, podsOf } from '../release.ts';
import { expectSays, expectThat } from '../said.ts';
import type { Manifest, Scene, Seen } from '../scene.ts';

interface Addressed extends Seen {
  status: { podIPs?: ReadonlyArray<{ ip: string }> };
}

/** Both programs over IPv6. */
export const ipv6: Case = {
  name: 'ipv6',
  shows: 'where pods have IPv6, the API server calls the webhook by it, and metrics and probes answer on it',
  needs: { release: 'own' },
  async run(scene) {
    await runPod(scene, 'client', ['sleep', '86400']);
    if ((await addressOf(scene, 'client')) === undefined) scene.skip('pods of this cluster have no IPv6 addresses');
    await installOwn(scene);
    await serveByIPv6(scene);
    await scene.until('the webhook to be called', async () => {
      const said = await scene.refused(pool(0, 'wrong', { selector: { matchLabels: { pool: 'other' } } }));
      expectSays(said, 'spec.selector: must match spec.template.metadata.labels');
      return true;
    });
    await raise(scene, 1);
    const [controller] = await podsOf(scene, ownRelease(scene), 'controller');
    const address = await addressOf(scene, controller?.metadata.name ?? '');
    const answers = await probe(scene, 'client', `${hostOf(address ?? '')}:10258/healthz`);
    expectThat(answers, `the controller does not answer on ${address}`);
  },
  cleanUp: uninstallOwn,
};

/** The IPv6 address of a pod; undefined when it has none. */
async function addressOf(scene: Scene, pod: string): Promise<string | undefined> {
  const { status } = await scene.get<Addressed>('pod', pod);
  return status.podIPs?.find(({ ip }) => ip.includes(':'))?.ip;
}

/** Gives the webhook a Service that has nothing but an IPv6 address. */
async function serveByIPv6(scene: Scene): Promise<void> {
  const name = `${fullname(ownRelease(scene))}-webhook`;
  const { metadata, spec } = await scene.get<Seen & { spec: Record<string, unknown> }>('service', name);
  const { selector, ports } = spec;
  const service: Manifest = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, labels: metadata.labels, annotations: metadata.annotations },
    spec: { selector, ports, ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv6'] },
  };
  await scene.kubectl('delete', 'service', name);
  await scene.apply(service);
}
