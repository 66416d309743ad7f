import type { MachineRequest } from '../../controller/drivers/sdk/driver.ts';
import { type Api, type Connection, isNotFound } from '../../controller/runtime/client/api.ts';
import { configMaps, leases, nodes } from '../../controller/runtime/k8s/core.ts';
import type { KubeObject, Resource } from '../../controller/runtime/k8s/object.ts';
import { kubeconfigConnection } from '../../controller/runtime/kubeconfig/kubeconfig.ts';
import { controlPlane } from '../api/support/controlplane.ts';
import { type Candidate, optional, type Specs } from './candidate.ts';
import { driverConformance } from './driver.ts';
import { startVirtual } from './virtual.ts';

/** A class in which calls fail. */
const faulty = (fault: Record<string, unknown>) => ({ heartbeat: '0s', faults: { calls: [fault] } });

const specs: Specs = {
  plain: { heartbeat: '1s' },
  edited: { heartbeat: '2s', node: { labels: { edited: 'yes' } } },
  unknownKey: { spec: { latency: { reboot: '1s' } }, path: 'latency.reboot' },
  slow: { latency: { create: '1s' } },
  lingers: { latency: { terminate: '1s' } },
  lostAnswer: faulty({ method: 'createMachine', times: 1, answer: 'Unavailable', effect: true }),
  hang: faulty({ method: 'createMachine', answer: 'Hang' }),
  full: { spec: { capacity: 2 }, room: 2 },
  uninitialized: { initialize: true },
  hot: { heartbeat: '3s', tags: { team: 'blue' } },
  hotHang: { ...faulty({ method: 'updateMachine', answer: 'Hang' }), tags: { team: 'blue' } },
  hotLostAnswer: {
    ...faulty({ method: 'updateMachine', times: 1, answer: 'Unavailable', effect: true }),
    tags: { team: 'blue' },
  },
  failing: [
    { method: 'createMachine', code: 'Internal', spec: faulty({ answer: 'Internal' }) },
    { method: 'deleteMachine', code: 'Unavailable', spec: faulty({ answer: 'Unavailable' }) },
    { method: 'getMachineStatus', code: 'PermissionDenied', spec: faulty({ answer: 'PermissionDenied' }) },
    { method: 'initializeMachine', code: 'Aborted', spec: faulty({ answer: 'Aborted' }) },
    { method: 'updateMachine', code: 'FailedPrecondition', spec: faulty({ answer: 'FailedPrecondition' }) },
    { method: 'listMachines', code: 'Unauthenticated', spec: faulty({ answer: 'Unauthenticated' }) },
  ],
};

for (const store of ['memory', 'cluster'] as const) {
  driverConformance({
    name: `virtual, VMs in ${store}`,
    specs,
    methods: optional,
    stamps: true,
    start: () => start(store),
  });
}

async function start(store: 'memory' | 'cluster'): Promise<Candidate> {
  const connection = await givenCluster();
  const { driver, api, log, kill } = await startVirtual(connection, store);
  const named = async <T extends KubeObject>(resource: Resource<T>, prefix: string, nameOf = nodeName<T>) => {
    const { items } = await api.list(resource);
    return items.filter((item) => nameOf(item).startsWith(prefix)).map((item) => `${resource.kind} ${nameOf(item)}`);
  };
  return {
    driver,
    secret: { userData: '#cloud-config' },
    inventory: async (prefix) => [
      ...(await named(configMaps, prefix, ({ data }) => data?.['nodeName'] ?? '')),
      ...(await named(leases, prefix)),
      ...(await named(nodes, prefix)),
    ],
    ...(store === 'cluster' && { foreign: foreignTag(api) }),
    afterDelete: async (name) => {
      await api.delete(nodes, { name }).catch((error) => isNotFound(error) || Promise.reject(error));
    },
    logged: () => Bun.inspect(log.lines, { depth: 20 }),
    stop: kill,
  };
}

/** A tag that somebody puts on a VM in the provider's console. */
function foreignTag(api: Api): NonNullable<Candidate['foreign']> {
  const vmOf = ({ token }: MachineRequest) => ({ namespace: 'drover-virtual-cloud', name: token });
  return {
    put: async (request) => {
      await api.patch(configMaps, vmOf(request), { type: 'merge', body: { data: { 'tag.theirs': 'x' } } });
    },
    isThere: async (request) => (await api.get(configMaps, vmOf(request))).data?.['tag.theirs'] === 'x',
  };
}

const nodeName = <T extends KubeObject>({ metadata }: T): string => metadata.name;

/** The cluster that run.ts was given, or a real API server of the tests' own. */
async function givenCluster(): Promise<Connection> {
  const kubeconfig = process.env['DROVER_CONFORMANCE_KUBECONFIG'];
  return kubeconfig ? kubeconfigConnection(kubeconfig) : (await controlPlane()).admin;
}
