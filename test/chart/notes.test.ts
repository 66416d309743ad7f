import { describe, expect, test } from 'bun:test';
import { helm, renderingArguments, type Values } from './helm.ts';

/** What `helm install` with these values ends with. */
async function notes(set: Values = {}): Promise<string> {
  const { code, stdout, stderr } = await helm(['install', ...renderingArguments({ set }), '--dry-run=client']);
  if (code !== 0) throw new Error(stderr);
  return stdout.slice(stdout.indexOf('\nNOTES:\n'));
}

describe('after an installation one reads', () => {
  test('what there is, and how to see it work', async () => {
    const said = await notes();
    expect(said).toContain('MachineDeployment, MachineSet, Machine, MachineClass and Cluster, which stay when');
    expect(said).toContain('one of which makes the machines of all namespaces');
    expect(said).toContain('kubectl rollout status -n drover-system deployment/drover-webhook');
    expect(said).toContain('helm test -n drover-system drover');
    expect(said).not.toContain('WARNING');
  });

  test.each<[string, Values, string]>([
    ['names that the user chose', { 'controller.deploymentName': 'mcm' }, 'deployment/mcm\n'],
    [
      'that no driver runs',
      {},
      'Unless the image has a driver of its own none runs, and no machine is made yet: driver.virtual.enabled=true',
    ],
    ['the only namespace', { 'controller.namespace': 'herds' }, 'the machines of namespace herds\n'],
    [
      'how another cluster gives its rights',
      { 'controller.kubeconfig.target': 'far' },
      'helm install drover-target <this chart> -n drover-system --create-namespace --set rbac.targetOnly=true',
    ],
    [
      'how that cluster makes a token',
      { 'rbac.targetOnly': true },
      'kubectl create token -n drover-system drover-controller --duration=8760h',
    ],
    [
      'that a caBundle is to be set',
      { 'webhook.tls.mode': 'provided', 'webhook.tls.provided.secretName': 'mine' },
      'set caBundle in both webhook\nconfigurations named drover',
    ],
  ])('%s', async (_title, set, says) => {
    expect(await notes(set)).toContain(says);
  });

  test.each<[Values, string]>([
    [{ 'webhook.replicas': 1 }, 'with one webhook nothing can be written to machines while its pod moves'],
    [{ 'webhook.failurePolicy': 'Ignore' }, 'mistakes get through while no webhook answers'],
    [
      { 'webhook.failurePolicy': 'Ignore' },
      'protected keys, claims of Nodes and VMs, and the cluster label are held by policies all the same',
    ],
    [
      { 'webhook.namespaceSelector.matchLabels': { herds: 'yes' } },
      'the webhook guards some namespaces, and the controller looks after all',
    ],
    [
      { 'policies.enabled': false },
      'what is missing is nodes secrets claims cluster-label created-by held-finalizer node-keys protected-keys registration',
    ],
    [{ 'webhook.enabled': false }, 'without the webhook nothing checks what is applied'],
    [
      { 'controller.podDisruptionBudget.maxUnavailable': 0 },
      'with controller.podDisruptionBudget.maxUnavailable=0 no Node that a controller runs on can be drained',
    ],
    [{ 'crds.keep': false }, 'uninstalling this release deletes every machine object in the cluster'],
    [{ 'controller.settings.virtualStore': 'memory' }, 'the virtual machines are gone when the leader changes'],
  ])('a warning of %j', async (set, says) => {
    expect(await notes(set)).toMatch(new RegExp(`\\nWARNING: .*${says}`));
  });
});
