import type { Api } from '../../controller/runtime/client/api.ts';
import { nodes } from '../../controller/runtime/k8s/core.ts';
import { LABEL_NODE } from '../../schemas/keys.ts';
import { apiVersion, resources } from '../../schemas/kinds.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import type { Sample } from './floor.ts';

/** Of a controller that nothing holds back. */
export const FLAGS = [
  '--virtual-store=memory',
  '--kube-api-qps=100000',
  '--kube-api-burst=100000',
  '--leader-elect=false',
];
const LABELS = { herd: 'bench' };
/** Name of the class and of the deployment. */
export const HERD = 'herd';

/** Asks for so many machines of the herd. */
export const scale = (api: Api, namespace: string, replicas: number) =>
  api.patch(resources.machineDeployments, { namespace, name: HERD }, { type: 'merge', body: { spec: { replicas } } });

/** One of the machines of that namespace, and its Node. */
export async function sampleOf(api: Api, namespace: string): Promise<Sample> {
  const [machine] = (await api.list(resources.machines, { namespace })).items;
  if (!machine) throw new Error(`no machine is left in ${namespace} to take a sample of`);
  return { machine, node: await api.get(nodes, { name: machine.metadata.labels?.[LABEL_NODE] ?? '' }) };
}

/** A class of virtual machines without heart-beats. */
export const classIn = (namespace: string): MachineClass => ({
  apiVersion,
  kind: 'MachineClass',
  metadata: { name: HERD, namespace },
  provider: 'virtual',
  providerSpec: { heartbeat: '0s' },
});

/** A deployment of machines of that class. */
export const deploymentIn = (namespace: string, replicas: number): MachineDeployment => ({
  apiVersion,
  kind: 'MachineDeployment',
  metadata: { name: HERD, namespace },
  spec: {
    replicas,
    selector: { matchLabels: LABELS },
    strategy: { type: 'RollingUpdate' },
    template: { metadata: { labels: LABELS }, spec: { class: { kind: 'MachineClass', name: HERD } } },
  },
});
