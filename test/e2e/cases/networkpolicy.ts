import type { Case } from '../case.ts';
import { raise } from '../herd.ts';
import { installOwn, ownRelease, uninstallOwn } from '../own.ts';
import { probe, runPod, serve } from '../probe.ts';
import { podsOf } from '../release.ts';
import { expectThat } from '../said.ts';
import type { Manifest, Scene } from '../scene.ts';

/** Nothing may speak to anything. */
const DENY: Manifest = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: 'deny' },
  spec: { podSelector: { matchLabels: { app: 'server' } }, policyTypes: ['Ingress'] },
};

/** The chart's policies, where a network keeps them. */
export const networkPolicy: Case = {
  name: 'network-policy',
  shows: "with the chart's NetworkPolicies both programs do their work, and nobody reaches what is nobody's business",
  needs: { release: 'own' },
  async run(scene) {
    await runPod(scene, 'client', ['sleep', '86400']);
    if (!(await isEnforced(scene))) scene.skip("the cluster's network does not enforce NetworkPolicies");
    await installOwn(scene, {
      networkPolicy: { enabled: true, metricsFrom: [{ podSelector: { matchLabels: { app: 'none' } } }] },
    });
    await raise(scene, 1);
    const [controller] = await podsOf(scene, ownRelease(scene), 'controller');
    const { podIP = '' } = controller?.status ?? {};
    expectThat(
      !(await probe(scene, 'client', `${podIP}:10258/metrics`)),
      'a stranger reads the metrics of the controller',
    );
  },
  cleanUp: uninstallOwn,
};

/** Whether a policy that forbids everything keeps a client from a server that it reached before. */
async function isEnforced(scene: Scene): Promise<boolean> {
  const address = await serve(scene, 'server');
  await scene.until('the client to reach the server', () => probe(scene, 'client', address));
  await scene.apply(DENY);
  try {
    await scene.until('the policy to hold', async () => !(await probe(scene, 'client', address)), 10_000);
    return true;
  } catch {
    return false;
  }
}
