import {
  ANNOTATION_NODE_MACHINE,
  ANNOTATION_NOT_MANAGED,
  ANNOTATION_PREFER_NO_SCHEDULE,
  LABEL_CANDIDATE,
  LABEL_INCARNATION,
  LABEL_MACHINE_NAME,
  SECRET_FINALIZER,
} from '../../schemas/keys.ts';
import { type Attack, byPolicy, byRbac, type Manifest, secret } from './attack.ts';

const NODES = byPolicy('nodes\\.drover-controller\\.drover-system\\.drover\\.dev');
const SECRETS = byPolicy('secrets\\.drover-controller\\.drover-system\\.drover\\.dev');
const REGISTRATION = byPolicy('registration\\.drover-webhook\\.drover-system\\.drover\\.dev');

const node = (metadata: object = {}, more: object = {}): Manifest => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'NAME', ...metadata },
  ...more,
});
const controlPlane = node({ labels: { 'node-role.kubernetes.io/control-plane': '' } });
const own = node({ annotations: { [ANNOTATION_NODE_MACHINE]: 'herd-1' } });
const NAMED = { labels: { [LABEL_MACHINE_NAME]: 'herd-1' } };
const named = node(NAMED);
const rolled = `taint node NAME ${ANNOTATION_PREFER_NO_SCHEDULE}=True:PreferNoSchedule`;
const claim = { metadata: { annotations: { [ANNOTATION_NODE_MACHINE]: 'herd-1' } } };
const json = (body: unknown) => JSON.stringify(body);
const merge = (body: unknown) => `patch node NAME --type=merge -p ${json(body)}`;

const byController = (tries: string, rest: Omit<Attack, 'who' | 'tries'>): Attack => ({
  who: 'controller',
  tries,
  ...rest,
});
const byWebhook = (tries: string, rest: Omit<Attack, 'who' | 'tries'>): Attack => ({ who: 'webhook', tries, ...rest });

/** Nodes: who has taken the controller, or talked it into something, gets at those of its machines alone. */
export const nodeAttacks: readonly Attack[] = [
  byController('to delete a Node that is nobody’s', { given: [node()], does: 'delete node NAME', must: NODES }),
  byController('to delete a Node of a control plane', { given: [controlPlane], does: 'delete node NAME', must: NODES }),
  byController('to cordon a Node that is nobody’s', {
    given: [node()],
    does: merge({ spec: { unschedulable: true } }),
    must: NODES,
  }),
  byController('to taint it', { given: [node()], does: 'taint node NAME evil.io/x=:NoExecute', must: NODES }),
  byController('to label it', { given: [node()], does: 'label node NAME evil=yes', must: NODES }),
  byController('to write its status', {
    given: [node()],
    sends: { path: '/api/v1/nodes/NAME/status', body: { status: { capacity: { 'evil.io/x': '1' } } } },
    must: NODES,
  }),
  byController('to claim a Node of a control plane', { given: [controlPlane], does: merge(claim), must: NODES }),
  byController('to register a Node', {
    does: 'create -f -',
    stdin: node({}, { spec: { providerID: 'aws:///i-1' } }),
    must: NODES,
  }),
  byController('to claim a Node, and cordon it at once, as it does with those of its machines', {
    given: [node()],
    does: merge({ ...claim, spec: { unschedulable: true } }),
    must: 'pass',
  }),
  byController('to mark a Node that has no machine, as MCM does', {
    given: [controlPlane],
    does: `annotate node NAME ${ANNOTATION_NOT_MANAGED}=1`,
    must: 'pass',
  }),
  // hack/decisions/0028 T22
  byController('to mark a Node of MCM’s machine controller for a rollout', {
    given: [named],
    does: rolled,
    must: 'pass',
  }),
  byController('to mark one for an update in place', {
    given: [named],
    does: `label node NAME ${LABEL_CANDIDATE}=true`,
    must: 'pass',
  }),
  byController('to mark a Node for a rollout that no machine controller has named', {
    given: [node()],
    does: rolled,
    must: NODES,
  }),
  byController('to mark one of a control plane for a rollout, whoever has named it', {
    given: [node({ labels: { ...controlPlane.metadata.labels, ...NAMED.labels } })],
    does: rolled,
    must: NODES,
  }),
  byController('to label a Node of MCM’s machine controller', {
    given: [named],
    does: 'label node NAME evil=yes',
    must: NODES,
  }),
  byController('to taint it with what no rollout does', {
    given: [named],
    does: 'taint node NAME evil.io/x=:NoExecute',
    must: NODES,
  }),
  byController('to delete it', { given: [named], does: 'delete node NAME', must: NODES }),
  byController('to drain and delete a Node of its own, also one of a control plane that was claimed by hand', {
    given: [{ ...controlPlane, metadata: { ...controlPlane.metadata, ...own.metadata } }],
    does: 'delete node NAME',
    must: 'pass',
  }),
];

const token = (labels: object, more: object = {}): Manifest =>
  secret(
    { 'token-id': 'abcdef', 'token-secret': '0123456789abcdef' },
    {
      type: 'bootstrap.kubernetes.io/token',
      metadata: { name: 'bootstrap-token-abcdef', namespace: 'kube-system', labels },
      ...more,
    },
  );
const inKubeSystem = (type: string, metadata: object): Manifest =>
  secret({}, { type, metadata: { name: 'NAME', namespace: 'kube-system', ...metadata } });
const patchSecret = (body: unknown): Pick<Attack, 'sends'> => ({
  sends: { path: '/api/v1/namespaces/NAMESPACE/secrets/NAME', body },
});
const hold = (finalizers: readonly string[]) => patchSecret({ metadata: { finalizers } });

/** Secrets: it reads them by its roles, and writes tokens and one finalizer. */
export const secretAttacks: readonly Attack[] = [
  byController('to change a Secret', {
    given: [secret({ a: 'b' })],
    ...patchSecret({ data: { a: btoa('c') } }),
    must: SECRETS,
  }),
  byController('to label a Secret', {
    given: [secret({})],
    ...patchSecret({ metadata: { labels: { a: 'b' } } }),
    must: SECRETS,
  }),
  byController('to hold a Secret by its finalizer, as it does with those in use', {
    given: [secret({ a: 'b' })],
    ...hold([SECRET_FINALIZER]),
    must: 'pass',
  }),
  byController('to hold a Secret in another’s name', {
    given: [secret({})],
    ...hold(['example.io/other']),
    must: SECRETS,
  }),
  byController('to release a Secret that another holds', {
    given: [secret({}, { metadata: { name: 'NAME', finalizers: ['example.io/other'] } })],
    ...hold([]),
    must: SECRETS,
  }),
  byController('to get at one Secret by its name', { given: [secret({})], does: 'get secret NAME', must: byRbac }),
  byController('a token of an account that may everything', {
    does: 'create -n kube-system -f -',
    stdin: inKubeSystem('kubernetes.io/service-account-token', {
      annotations: { 'kubernetes.io/service-account.name': 'default' },
    }),
    must: SECRETS,
  }),
  byController('a bootstrap token that is not marked as its own', {
    does: 'create -n kube-system -f -',
    stdin: token({}),
    must: SECRETS,
  }),
  byController('to delete a Secret of kube-system', {
    given: [inKubeSystem('Opaque', {})],
    does: 'delete secret NAME -n kube-system --wait=false',
    must: SECRETS,
  }),
  byController('a bootstrap token of its own, as it makes for each machine', {
    does: 'create -n kube-system -f -',
    stdin: token({ [LABEL_INCARNATION]: 'here' }),
    must: 'pass',
  }),
  byController('to turn its token into something else', {
    sends: {
      path: '/api/v1/namespaces/kube-system/secrets/bootstrap-token-abcdef',
      body: { metadata: { labels: { [LABEL_INCARNATION]: null } } },
    },
    must: SECRETS,
  }),
  byController('to give itself rights', {
    does: 'create clusterrolebinding NAME --clusterrole=cluster-admin --user=x',
    must: byRbac,
  }),
  byController('to run a pod', { does: 'run NAME --image=x', must: byRbac }),
];

const configuration = (patch: readonly object[], more = '') =>
  `patch validatingwebhookconfiguration drover --type=json -p ${json(patch)}${more}`;
const all = [{ apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], operations: ['*'] }];

/** The webhook, the one with an open port: its own registration tells where all writes of a cluster may be sent. */
export const webhookAttacks: readonly Attack[] = [
  byWebhook('to be asked about every Secret', {
    does: configuration([{ op: 'replace', path: '/webhooks/0/rules', value: all }]),
    must: REGISTRATION,
  }),
  byWebhook('to have reviews sent elsewhere', {
    does: configuration([{ op: 'replace', path: '/webhooks/0/clientConfig/url', value: 'https://203.0.113.1/' }]),
    must: REGISTRATION,
  }),
  byWebhook('to be asked no more', {
    does: configuration([{ op: 'add', path: '/webhooks/0/namespaceSelector', value: { matchLabels: { never: 'x' } } }]),
    must: REGISTRATION,
  }),
  byWebhook('one webhook fewer', { does: configuration([{ op: 'remove', path: '/webhooks/0' }]), must: REGISTRATION }),
  byWebhook('to annotate its registration for an injector', {
    does: 'annotate validatingwebhookconfiguration drover cert-manager.io/inject-ca-from=a/b',
    must: REGISTRATION,
  }),
  byWebhook('to make its authority known', {
    does: configuration(
      [{ op: 'replace', path: '/webhooks/0/clientConfig/caBundle', value: btoa('x') }],
      ' --dry-run=server',
    ),
    must: 'pass',
  }),
  byWebhook('to delete its registration', { does: 'delete validatingwebhookconfiguration drover', must: byRbac }),
  byWebhook('another’s registration', {
    does: 'annotate validatingadmissionpolicybinding drover-protected-keys a=b',
    must: byRbac,
  }),
  byWebhook('to read Secrets', { does: 'get secrets -n drover-system', must: byRbac }),
  byWebhook('to make a Secret', { does: 'create secret generic NAME -n drover-system', must: byRbac }),
  byWebhook('to override', {
    does: 'annotate mc target -n victim protected.drover.dev/reconcile-priority=1',
    must: byRbac,
  }),
];
