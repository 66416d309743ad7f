import { type Access, NAMESPACE, RELEASE } from '../../schemas/access.ts';

/** Every right of the webhook. */
export const access: readonly Access[] = [
  {
    group: 'authorization.k8s.io',
    resources: ['subjectaccessreviews'],
    verbs: ['create'],
    scope: 'cluster',
    cluster: 'control',
    why: 'asks who may override, before a protected key changes',
  },
  {
    group: 'machine.sapcloud.io',
    resources: ['machineclasses', 'machines', 'machinesets', 'machinedeployments'],
    verbs: ['get', 'list', 'watch'],
    scope: 'cluster',
    cluster: 'control',
    why: 'looks up what rules need to know beside the object: which class is there, who uses it, which sets there are, what is scaled; reads an owner by which something is made',
  },
  {
    group: 'drover.dev',
    resources: ['clusters'],
    verbs: ['get', 'list', 'watch'],
    scope: 'cluster',
    cluster: 'control',
    why: 'looks up whether the Cluster is there that a label or an owner reference names',
  },
  {
    group: '',
    resources: ['secrets'],
    verbs: ['get', 'update'],
    names: [`${RELEASE}-webhook-tls`],
    scope: `namespace:${NAMESPACE}`,
    cluster: 'control',
    when: 'issues',
    why: 'shares and renews its certificate, in a Secret that the installation has made empty',
  },
  {
    group: 'admissionregistration.k8s.io',
    resources: ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'],
    verbs: ['get', 'patch'],
    names: [RELEASE],
    scope: 'cluster',
    cluster: 'control',
    when: 'publishes',
    why: 'tells the API server by which authority its certificate is issued',
  },
];
