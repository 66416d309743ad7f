import { expect, test } from 'bun:test';
import { refusal, type Values } from './helm.ts';

test.each<[string, Values, string]>([
  ['a key that is not known', { replicas: 2 }, "at '': additional properties 'replicas' not allowed"],
  [
    'one deep down',
    { 'controller.kubeconfig.targt': 'x' },
    "at '/controller/kubeconfig': additional properties 'targt'",
  ],
  ['a setting that is not known', { 'controller.settings.machineHealthTimout': '1m' }, "at '/controller/settings'"],
  ['a setting that the chart gives', { 'webhook.settings.tlsMode': 'self' }, "at '/webhook/settings'"],
  [
    'a setting of another shape',
    { 'controller.settings.leaderElect': 'maybe' },
    "at '/controller/settings/leaderElect'",
  ],
  ['a duration without a unit', { 'controller.settings.machineDrainTimeout': 10 }, 'machineDrainTimeout'],
  ['a word that is none of those', { 'webhook.failurePolicy': 'Warn' }, "one of 'Fail', 'Ignore'"],
  ['no replica at all', { 'webhook.replicas': 0 }, "at '/webhook/replicas': minimum: got 0, want 1"],
])('%s is refused with its path', async (_title, set, says) => {
  expect(await refusal({ set })).toContain(says);
});

const list = (...words: string[]) => ({ 'controller.extraArgs': words });

test.each<[Values, string]>([
  [
    { 'controller.enabled': false, 'webhook.enabled': false, 'crds.enabled': false },
    'nothing would be installed; enable at least one of controller.enabled, webhook.enabled and crds.enabled',
  ],
  [
    { 'webhook.serviceAccount.create': false },
    'webhook.serviceAccount.name is empty and serviceAccount.create is false',
  ],
  // hack/decisions/0051 U8
  [{ 'image.repository': '' }, 'image.repository is empty, and no registry has an image of Drover; make one with'],
  // hack/decisions/0051 U5
  [{ 'driver.names': ['virtual'] }, 'driver.names has virtual, which has no rights here'],
  [{ 'webhook.extraArgs': ['--port=1'] }, 'webhook.extraArgs has --port'],
  [
    { 'webhook.podLabels': { 'app.kubernetes.io/instance': 'mine' } },
    'webhook.podLabels changes app.kubernetes.io/instance, by which the Deployment finds its pods',
  ],
  [{ commonLabels: { 'helm.sh/chart': 'x' } }, 'commonLabels changes helm.sh/chart, which the chart sets itself'],
  [
    { 'controller.podTemplate': { metadata: { labels: { 'app.kubernetes.io/name': 'mine' } } } },
    'controller.podTemplate.metadata.labels changes app.kubernetes.io/name, by which the Deployment finds its pods',
  ],
  [
    { 'controller.deploymentName': 'drover-webhook' },
    "controller.deploymentName is the name of the webhook's Deployment",
  ],
  [
    { 'controller.kubeconfig.control': 'none' },
    'controller.kubeconfig.control is none, but the Machines must be somewhere',
  ],
  [{ 'controller.kubeconfig.control': 'far' }, 'the webhook would guard this one, where no Machines are'],
  [
    { 'controller.kubeconfig.target': '/etc/k' },
    'controller.kubeconfig.target is a path, but nothing is mounted there',
  ],
  [
    list('--namespace=a'),
    'controller.extraArgs has --namespace, on which rights and mounts depend; use controller.namespace',
  ],
  [
    list('--target_kubeconfig', 'a'),
    'has --target-kubeconfig, on which rights and mounts depend; use controller.kubeconfig.target',
  ],
  [list('--leader-elect=false'), 'controller.replicas is 2 without leader election'],
  [{ 'controller.settings.leaderElect': false }, 'set controller.replicas=1, or leave leaderElect true'],
  [
    { 'webhook.tls.mode': 'provided' },
    'webhook.tls.provided.secretName is empty; name a Secret with tls.crt and tls.key',
  ],
  [{ 'webhook.tls.provided.secretName': 'mine' }, 'webhook.tls.mode is self, which does not use it'],
  [{ 'webhook.tls.certManager.issuerRef.name': 'x' }, 'set webhook.tls.mode=certManager, or leave the issuer empty'],
  [{ 'driver.sidecars': [{ name: 'cloud' }] }, 'driver.sidecars[0] is no container; give it a name and an image'],
  [{ 'driver.sidecars': [{ name: 'controller', image: 'x' }] }, "is that of the controller's own container"],
])('%j cannot work, and is refused with a sentence', async (set, says) => {
  expect(await refusal({ set })).toContain(says);
});

test('all that cannot work is told at once', async () => {
  const said = await refusal({ set: { 'webhook.tls.mode': 'provided', 'controller.kubeconfig.control': 'none' } });
  expect(said).toContain('controller.kubeconfig.control is none');
  expect(said).toContain('webhook.tls.provided.secretName is empty');
});

test.each<[string, Values]>([
  ['one replica without election', { 'controller.replicas': 1, 'controller.settings.leaderElect': false }],
  ['election by argument', list('--leader-elect')],
  ['numbers as texts', { 'controller.settings.kubeApiQps': '12.5', 'controller.settings.leaderElect': 'true' }],
  ['no image, where no program runs', { 'image.repository': '', 'rbac.targetOnly': true }],
  ['a part of a larger chart', { 'global.anything': 1 }],
])('%s is taken', async (_title, set) => {
  await expect(refusal({ set })).rejects.toThrow('helm rendered what it should refuse');
});
