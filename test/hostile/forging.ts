import { type Attack, byPolicy, machine, templated } from './attack.ts';

const row = (tries: string, rest: Omit<Attack, 'who' | 'tries'>): Attack => ({ who: 'mallory', tries, ...rest });
const owner = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: 'mine',
  uid: '00000000-0000-4000-8000-000000000001',
  controller: true,
};
const noted = {
  'protected.drover.dev/machine-class': JSON.stringify({ secretRef: { name: 'cloud', namespace: 'victim' } }),
};
const digits = '1'.repeat(200_000);
const PRESERVED = 'node.machine.sapcloud.io/effective-creation-timeout';
const long = 'n'.repeat(200);

/** Objects that pretend, or are made to be dear. */
export const forgeryAttacks: readonly Attack[] = [
  row('to stop the webhook with a text of many digits (hack/decisions/0028 W1)', {
    where: 'guarded',
    does: 'create -f -',
    stdin: machine({ annotations: { [PRESERVED]: digits } }),
    must: /effective-creation-timeout/,
  }),
  row('to stop the controller with it, where no webhook looks', {
    where: 'loose',
    does: 'create -f -',
    stdin: machine({ annotations: { [PRESERVED]: digits } }),
    must: 'pass',
    after: async (scene) => (await scene.look('get mc NAME -o jsonpath={.status.conditions[*].type}')) !== '',
  }),
  row('to be exempt by an owner of his own making (hack/decisions/0028 W11)', {
    where: 'guarded',
    does: 'create -f -',
    stdin: machine({ ownerReferences: [owner], labels: { 'cluster.k8s.io/cluster-name': 'nowhere' } }),
    must: /cluster-name/,
  }),
  row('to have been made by somebody else (hack/decisions/0028 W11)', {
    where: 'guarded',
    does: 'create -f -',
    stdin: machine({ ownerReferences: [owner], annotations: { 'drover.dev/created-by': 'admin' } }),
    must: 'pass',
    after: async (scene) =>
      (await scene.look('get mc NAME -o jsonpath={.metadata.annotations.drover\\.dev/created-by}')) === 'mallory',
  }),
  row('to have made by somebody else what is there (hack/decisions/0028 T13)', {
    given: [machine()],
    does: 'annotate mc NAME --overwrite drover.dev/created-by=somebody',
    must: byPolicy('drover-created-by'),
  }),
  row('to have made by somebody else what leaves (hack/decisions/0028 T13)', {
    given: [machine()],
    leaving: 'mc/NAME',
    does: 'annotate mc NAME --overwrite drover.dev/created-by=somebody',
    must: byPolicy('drover-created-by'),
  }),
  row('to have the controller look with the eyes of another, by a note that he made up (hack/decisions/0028 M16)', {
    where: 'guarded',
    does: 'create -f -',
    stdin: machine({ annotations: noted }),
    must: 'pass',
    after: async (scene) => !(await scene.look('get mc NAME -o jsonpath={.metadata.annotations}')).includes('victim'),
  }),
  row('the same, where no webhook leaves it out', {
    where: 'loose',
    does: 'create -f -',
    stdin: machine({ annotations: noted }),
    must: byPolicy('drover-protected-keys'),
  }),
  row('a set that adopts what is another’s', {
    does: 'create -f -',
    stdin: {
      ...templated('MachineSet', { metadata: { labels: { herd: 'victims' } } }),
      spec: {
        replicas: 0,
        selector: { matchLabels: { herd: 'victims' } },
        template: {
          metadata: { labels: { herd: 'victims' } },
          spec: { class: { kind: 'MachineClass', name: 'small' } },
        },
      },
    },
    must: 'pass',
    after: async (scene) =>
      (await scene.look('get mc target -n victim -o jsonpath={.metadata.ownerReferences}')) === '',
  }),
  row('names so long that what is made from them would collide when cut off', {
    where: 'guarded',
    does: 'create -f -',
    stdin: { ...templated('MachineDeployment'), metadata: { name: long } },
    must: /metadata.name/,
  }),
  row('a selector that takes everything', {
    where: 'guarded',
    does: 'create -f -',
    stdin: {
      ...templated('MachineSet'),
      spec: { replicas: 0, selector: {}, template: { metadata: { labels: { herd: 'NAME' } }, spec: {} } },
    },
    must: /selector/,
  }),
  row('fewer machines than none', {
    given: [templated('MachineDeployment')],
    does: 'scale mcd NAME --replicas=-1',
    must: /replicas/,
  }),
  row('a version of the kinds that does not exist', {
    does: 'create -f -',
    stdin: { ...machine(), apiVersion: 'machine.sapcloud.io/v1beta1' },
    must: /no matches for kind/,
  }),
  row('a status of his own', {
    given: [machine()],
    does: 'patch mc NAME --subresource=status --type=merge -p {"status":{"currentStatus":{"phase":"Failed"}}}',
    must: /cannot (get|patch) resource "machines\/status"/,
  }),
];
