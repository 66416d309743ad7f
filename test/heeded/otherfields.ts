import { plan as planCluster } from '../../controller/cluster/flow.ts';
import { cluster, view as clusterView } from '../../controller/cluster/view.fixture.ts';
import { nodeOfClass } from '../../controller/drivers/virtual/node.ts';
import { classFact } from '../../controller/machine/flow/classresolution.ts';
import { change, seen } from '../../controller/machine/flow/nodesync.fixture.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import { machine, machineClass } from '../fixtures/objects.ts';
import type { HeededFields } from './row.ts';

/** How a class stands for a machine, as long as none of its Secrets is there. */
function stands(changes: Partial<MachineClass> = {}) {
  const one = { ...machineClass(), ...changes } as MachineClass;
  const sources = { classes: { get: () => one }, secrets: { get: () => undefined }, drivers: new Set(['virtual']) };
  return classFact(sources, machine());
}

const TEMPLATE = { capacity: { cpu: '2' }, instanceType: 'small', region: 'here', zone: 'here-1' };

/** What a Node of the class is like, where the driver is the simulated one. */
const nodeLike = (more: object = {}) =>
  nodeOfClass(machineClass({ nodeTemplate: { ...TEMPLATE, ...more } } as never), {});
const secret = (more: object = {}) => stands({ secretRef: { name: 'a', namespace: 'herd', ...more } });
const credentials = (more: object = {}) => stands({ credentialsSecretRef: { name: 'a', namespace: 'herd', ...more } });

/** Who heeds each field of a MachineClass. */
export const classFields: HeededFields = {
  provider: () => [stands(), stands({ provider: 'other' })],
  providerSpec: () => [stands(), stands({ providerSpec: { capacity: 3 } })],
  'secretRef.name': () => [secret(), secret({ name: 'b' })],
  'secretRef.namespace': () => [secret(), secret({ namespace: 'other' })],
  'credentialsSecretRef.name': () => [credentials(), credentials({ name: 'b' })],
  'credentialsSecretRef.namespace': () => [credentials(), credentials({ namespace: 'other' })],
  'nodeTemplate.capacity': () => [nodeLike(), nodeLike({ capacity: { cpu: '3' } })],
  'nodeTemplate.virtualCapacity': () => [change(seen({})), change(seen({ capacity: { 'drover.dev/gpu': '2' } }))],
  'nodeTemplate.instanceType': () => [nodeLike(), nodeLike({ instanceType: 'large' })],
  'nodeTemplate.region': () => [nodeLike(), nodeLike({ region: 'there' })],
  'nodeTemplate.zone': () => [nodeLike(), nodeLike({ zone: 'here-2' })],
  'nodeTemplate.architecture': () => [nodeLike(), nodeLike({ architecture: 'arm64' })],
};

/** Who heeds each field of a Cluster's spec. */
export const clusterFields: HeededFields = {
  'spec.kubeconfigSecretRef.name': {
    file: 'controller/cluster/kubeconfigs.test.ts',
    title: 'what is not there is told',
  },
  'spec.kubeconfigSecretRef.key': {
    file: 'controller/cluster/kubeconfigs.test.ts',
    title: 'a text that cannot be used is read once as well, until the Cluster names another key or is gone',
  },
  'spec.paused': {
    file: 'controller/model/readiness.test.ts',
    title: 'a pause of the Cluster holds what names it; that of the object itself comes first',
  },
  'spec.deletionProtection': () => {
    const leaving = { deletionTimestamp: '2026-01-01T00:00:00Z' };
    return [{}, { deletionProtection: true }].map((spec) =>
      planCluster(clusterView({ cluster: cluster(spec, leaving) })),
    ) as [unknown, unknown];
  },
};
