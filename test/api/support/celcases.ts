/** Parts of objects, and objects that break a rule of their CRD. */

export const inline = { provider: 'virtual', providerSpec: {} };
export const ofClass = { class: { kind: 'MachineClass', name: 'c' } };
export const strategy = (type: string, rest: object) => ({ spec: { template: {}, strategy: { type, ...rest } } });
export const reachedBy = (kubeconfigSecretRef: object) => ({ spec: { kubeconfigSecretRef } });
const taints = Array.from({ length: 1_001 }, (_, at) => ({ key: `key-${at}`, effect: 'NoSchedule' }));
const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`key-${at}`, '']));

/** What no object may be born with, and a part of what the API server says of it. */
export const refusedOnCreation: Array<[what: string, kind: string, rest: object, says: string]> = [
  ['a class beside an inline spec', 'Machine', { spec: { ...ofClass, ...inline } }, 'not both'],
  ['the same in a template', 'MachineSet', { spec: { template: { spec: { ...ofClass, ...inline } } } }, 'not both'],
  ['a provider without its spec', 'Machine', { spec: { provider: 'virtual' } }, 'set both or neither'],
  ['a spec without its provider', 'Machine', { spec: { providerSpec: {} } }, 'set both or neither'],
  // hack/decisions/0028 T55
  ['an id that no cloud has', 'Machine', { spec: { providerID: 'x'.repeat(1_025) } }, 'Too long'],
  ['labels without end', 'Machine', { spec: { nodeTemplate: { metadata: { labels: many } } } }, 'Too many'],
  ['annotations without end', 'MachineSet', { spec: { template: { metadata: { annotations: many } } } }, 'Too many'],
  // hack/decisions/0028 T80 and T82
  ['taints without end', 'Machine', { spec: { taints } }, 'Too many'],
  [
    'the same kept in step, in a template',
    'MachineSet',
    { spec: { template: { spec: { nodeTemplate: { spec: { taints } } } } } },
    'Too many',
  ],
  ['conditions without end', 'Machine', { spec: { nodeConditions: 'x,'.repeat(2_049) } }, 'Too long'],
  ['two images', 'Machine', { spec: { image: { name: 'a', ref: 'b' } } }, 'set either name'],
  ['no image', 'Machine', { spec: { image: {} } }, 'set either name'],
  [
    'an address alone',
    'Machine',
    { spec: { network: { interfaces: [{ name: 'a', addresses: ['10.0.0.5'] }] } } },
    'prefix length',
  ],
  [
    'two interfaces of a name',
    'Machine',
    { spec: { network: { interfaces: [{ name: 'a' }, { name: 'a' }] } } },
    'Duplicate',
  ],
  [
    'rollout limits without a rollout',
    'MachineDeployment',
    strategy('Recreate', { rollingUpdate: {} }),
    'goes with type RollingUpdate',
  ],
  [
    'in-place limits without updates in place',
    'MachineDeployment',
    strategy('RollingUpdate', { inPlaceUpdate: {} }),
    'goes with type InPlaceUpdate',
  ],
  [
    'more than all machines',
    'MachineDeployment',
    strategy('RollingUpdate', { rollingUpdate: { maxUnavailable: '101%' } }),
    'more than 100%',
  ],
  ['a class of an old kind', 'Machine', { spec: { class: { kind: 'AWSMachineClass', name: 'c' } } }, 'older kind'],
  [
    'an order of pods that are not drained',
    'MachineDrainRule',
    { spec: { drain: { behavior: 'Skip', order: 0 } } },
    'only pods with behavior Drain have an order',
  ],
  [
    'two like entries of pods',
    'MachineDrainRule',
    { spec: { drain: { behavior: 'Skip' }, pods: [{ selector: {} }, { selector: {} }] } },
    'no two entries may be the same',
  ],
  [
    'an entry of machines that says nothing',
    'MachineDrainRule',
    { spec: { drain: { behavior: 'Skip' }, machines: [{}] } },
    'at least 1 properties',
  ],
  ['no time to create', 'Machine', { spec: { creationTimeout: '0h0.0s' } }, 'longer than 0'],
  [
    'no time to become healthy',
    'MachineSet',
    { spec: { template: { spec: { healthTimeout: '0' } } } },
    'longer than 0',
  ],
  [
    'suspended from the start',
    'MachineSet',
    { spec: { template: { spec: { powerState: 'Suspended' } } } },
    'a new machine cannot be Suspended',
  ],
  [
    'a restart of all machines to come',
    'MachineDeployment',
    { spec: { template: { spec: { nextRestartTime: 'now' } } } },
    'a template restarts nothing',
  ],
  [
    'two taints of a key and an effect',
    'Machine',
    {
      spec: {
        taints: [
          { key: 'a', effect: 'NoExecute' },
          { key: 'a', value: 'b', effect: 'NoExecute' },
        ],
      },
    },
    'Duplicate',
  ],
  [
    'a day that no month has',
    'Machine',
    { spec: { nextRestartTime: '2030-01-32T03:00:00Z' } },
    'must be a time such as 2030-01-31T08:00:00Z, or now',
  ],
  [
    'a duration in words',
    'Machine',
    { spec: { creationTimeout: '10 minutes' } },
    'must be a duration such as 90s or 1h30m',
  ],
  [
    'a share without its sign',
    'MachineDeployment',
    strategy('RollingUpdate', { rollingUpdate: { maxSurge: '25' } }),
    'must be a count or percent such as 1 (without quotes) or 25%',
  ],
  [
    'a hardware address with dashes',
    'Machine',
    { spec: { network: { interfaces: [{ name: 'a', macAddress: '02-00-0a-14-00-0f' }] } } },
    'must be a MAC address such as 02:00:0a:14:00:0f',
  ],
  [
    'a name that no label has room for',
    'Cluster',
    { metadata: { name: 'w'.repeat(64) }, ...reachedBy({ name: 'west' }) },
    "a Cluster's name is the value of a label: at most 63 characters",
  ],
  ['no kubeconfig', 'Cluster', { spec: {} }, 'spec.kubeconfigSecretRef'],
  ['no Secret', 'Cluster', reachedBy({}), 'spec.kubeconfigSecretRef.name'],
  [
    'a Secret of another namespace',
    'Cluster',
    reachedBy({ name: 'other/west' }),
    'must be a name such as west-kubeconfig',
  ],
  [
    'a key that no Secret has',
    'Cluster',
    reachedBy({ name: 'west', key: 'a/b' }),
    'must be a key of a Secret such as kubeconfig',
  ],
];
