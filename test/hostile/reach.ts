import { type Attack, byRbac, cluster, machine, secret } from './attack.ts';

const row = (tries: string, rest: Omit<Attack, 'who' | 'tries'>): Attack => ({ who: 'mallory', tries, ...rest });
const machineClass = (more: object) => ({
  apiVersion: 'machine.sapcloud.io/v1alpha1',
  kind: 'MachineClass',
  metadata: { name: 'NAME' },
  provider: 'virtual',
  providerSpec: {},
  ...more,
});
const foreign = { name: 'cloud', namespace: 'victim' };
const kubeconfig = (server: string) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user: { token: 'x' } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'c',
  });
const untouched = (scene: { look(words: string): Promise<string> }) =>
  scene
    .look('get secret cloud -n victim -o jsonpath={.metadata.finalizers}|{.data.accessKey}')
    .then((said) => said === `|${btoa('AKIA')}`);

/** What is elsewhere: Secrets, clusters, namespaces and rights of others. */
export const reachAttacks: readonly Attack[] = [
  row('to have another namespace’s Secret given to a driver', {
    where: 'guarded',
    does: 'create -f -',
    stdin: machineClass({ secretRef: foreign }),
    must: /secretRef/,
  }),
  row('to have it given where no webhook looks', {
    where: 'loose',
    given: [machine({}, { class: { kind: 'MachineClass', name: 'NAME' } })],
    does: 'create -f -',
    stdin: machineClass({ secretRef: foreign }),
    must: 'pass',
    after: async (scene) =>
      (await scene.look('get mc NAME -o jsonpath={.status.conditions[*].reason}')) !== '' && untouched(scene),
  }),
  row('the credentials of another namespace by the second reference of a class', {
    where: 'guarded',
    does: 'create -f -',
    stdin: machineClass({ credentialsSecretRef: foreign }),
    must: /credentialsSecretRef/,
  }),
  row('a Cluster by a kubeconfig of another namespace', {
    does: 'create -f -',
    stdin: cluster({ kubeconfigSecretRef: { name: 'cloud', namespace: 'victim' } }),
    must: /unknown field "spec.kubeconfigSecretRef.namespace"|kubeconfigSecretRef/,
  }),
  row('to have the controller ask a server on its own machine', {
    given: [secret({ kubeconfig: kubeconfig('https://127.0.0.1:1') })],
    does: 'create -f -',
    stdin: cluster(),
    must: 'pass',
    after: async (scene) =>
      /False/.test(await scene.look('get dcl NAME -o jsonpath={.status.conditions[?(@.type=="Reachable")].status}')),
  }),
  row('a kubeconfig that runs a command', {
    given: [
      secret({ kubeconfig: kubeconfig('https://192.0.2.1').replace('"token":"x"', '"exec":{"command":"/bin/sh"}') }),
    ],
    does: 'create -f -',
    stdin: cluster(),
    must: 'pass',
    after: async (scene) =>
      /KubeconfigInvalid/.test(await scene.look('get dcl NAME -o jsonpath={.status.conditions[*].reason}')),
  }),
  row('to read what another’s namespace has, by the words of a dry run', {
    where: 'guarded',
    does: 'create --dry-run=server -o yaml -f -',
    stdin: machine({}, { providerID: 'virtual:///victims' }),
    must: 'pass',
  }),
  row('to write into another’s namespace', { does: 'annotate mc target -n victim a=b', must: byRbac }),
  row('a finalizer on another’s machine', {
    does: 'patch mc target -n victim --type=merge -p {"metadata":{"finalizers":["mallory.io/hold"]}}',
    must: byRbac,
  }),
  row('to scale another’s herd', { does: 'scale mcd herd -n victim --replicas=0', must: byRbac }),
  row('to delete all machines of everybody', { does: 'delete mc --all -A', must: /cannot list resource/ }),
  row('to delete all Clusters, of which one is protected', {
    where: 'guarded',
    given: [cluster({ deletionProtection: true })],
    does: 'delete dcl --all --wait=false',
    must: /deletionProtection/,
  }),
  row('to pose as the controller', {
    does: 'get secrets -A --as=system:serviceaccount:drover-system:drover-controller',
    must: byRbac,
  }),
  row('a token of the controller', { does: 'create token drover-controller -n drover-system', must: byRbac }),
  row('to remove a policy', { does: 'delete validatingadmissionpolicybinding drover-protected-keys', must: byRbac }),
  row('to let the webhook no longer look', { does: 'delete validatingwebhookconfiguration drover', must: byRbac }),
  row('to take the label of the guard off the namespace', {
    does: 'label namespace NAMESPACE drover.dev/guarded-',
    must: byRbac,
  }),
  row('the verb override for himself', {
    does: 'create role NAME --verb=override --resource=machines.machine.sapcloud.io',
    must: byRbac,
  }),
  row('a bootstrap token where API servers look for them', {
    does: 'create -n kube-system -f -',
    stdin: secret(
      { 'token-id': 'abcdef', 'token-secret': '0123456789abcdef' },
      { type: 'bootstrap.kubernetes.io/token' },
    ),
    must: byRbac,
  }),
  row('a bootstrap token in his own namespace, which nobody reads', {
    does: 'create -f -',
    stdin: secret(
      { 'token-id': 'abcdef', 'token-secret': '0123456789abcdef' },
      { type: 'bootstrap.kubernetes.io/token' },
    ),
    must: 'pass',
  }),
  row('an event that the controller did not write', {
    does: 'create -f -',
    stdin: { apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata: { name: 'NAME' } },
    must: byRbac,
  }),
];
