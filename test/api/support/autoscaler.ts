import { join } from 'node:path';
import { freePort } from '../../../hack/controlplane/ports.ts';
import { findTools } from '../../../hack/tools/find.ts';
import { givenTool } from '../../../hack/tools/given.ts';
import type { Herd } from './herd.ts';

/**
 * The upstream cluster-autoscaler, if there is one in a folder that the environment names (`DROVER_BIN`): it is published as an
 * image only.
 */
export const givenAutoscaler = givenTool('cluster-autoscaler', process.env);

/** Programs of Kubernetes that make machines come and go as pods need them. */
export interface Scaling {
  /** What the cluster-autoscaler has logged so far. */
  said(): Promise<string>;
  end(): Promise<void>;
}

const PAGE = join(import.meta.dir, '../../../charts/drover/AUTOSCALER.md');
const ACCOUNT = { namespace: 'kube-system', name: 'cluster-autoscaler' };

/** What any cluster-autoscaler needs where the Nodes are. */
const WHERE_NODES_ARE = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'cluster-autoscaler-nodes' },
  rules: [
    {
      apiGroups: ['', 'apps', 'batch', 'policy', 'storage.k8s.io', 'resource.k8s.io'],
      resources: ['*'],
      verbs: ['get', 'list', 'watch'],
    },
    { apiGroups: [''], resources: ['nodes', 'configmaps'], verbs: ['create', 'update', 'patch'] },
    { apiGroups: [''], resources: ['pods/eviction', 'events'], verbs: ['create', 'patch'] },
  ],
} as const;

const TYPES = ['machines', 'machinesets', 'machinedeployments'].map((type) => `${type}.machine.sapcloud.io`);
const SCALES = ['machinesets', 'machinedeployments'].map((type) => `${type}.machine.sapcloud.io/scale`);

/** What the page on the cluster-autoscaler says (charts/drover/AUTOSCALER.md). */
async function allow(herd: Herd): Promise<void> {
  const account = `--serviceaccount=${ACCOUNT.namespace}:${ACCOUNT.name}`;
  const role = 'cluster-autoscaler-machines';
  const resources = `--resource=${[...TYPES, ...SCALES].join(',')}`;
  await herd.kubectl('create', 'clusterrole', role, '--verb=get,list,watch,update,patch', resources);
  await herd.kubectl('create', 'rolebinding', role, `--clusterrole=${role}`, account);
  await herd.apply(WHERE_NODES_ARE);
  await herd.kubectl(
    'create',
    'clusterrolebinding',
    'autoscaler',
    `--clusterrole=${WHERE_NODES_ARE.metadata.name}`,
    account,
  );
}

/** Starts it beside a scheduler, with the set-up of the page, and so that it thinks of its Nodes each second. */
export async function startScaling(herd: Herd): Promise<Scaling> {
  const { cluster, namespace } = herd;
  const { 'kube-scheduler': scheduler } = await findTools(['kube-scheduler']);
  const { kubeconfig } = await cluster.serviceAccount(ACCOUNT.namespace, ACCOUNT.name);
  await allow(herd);
  const log = join(cluster.folder, 'cluster-autoscaler.log');
  const ports = { scheduler: await freePort(), autoscaler: await freePort() };
  const programs = [
    run(join(cluster.folder, 'kube-scheduler.log'), [
      scheduler,
      `--kubeconfig=${cluster.kubeconfig}`,
      '--leader-elect=false',
      '--bind-address=127.0.0.1',
      `--secure-port=${ports.scheduler}`,
    ]),
    run(log, [
      givenAutoscaler ?? '',
      `--kubeconfig=${kubeconfig}`,
      ...(await flagsOfPage(namespace)),
      '--leader-elect=false',
      `--address=127.0.0.1:${ports.autoscaler}`,
      '--v=4',
      ...HASTE,
    ]),
  ];
  return {
    said: () => Bun.file(log).text(),
    async end() {
      for (const program of programs) program.kill('SIGTERM');
      await Promise.all(programs.map(({ exited }) => exited));
    },
  };
}

/** The flags with which the page starts it, for another namespace. */
async function flagsOfPage(namespace: string): Promise<string[]> {
  const [, shown = ''] =
    /^```sh\n(export CAPI_GROUP=machine.sapcloud.io\n.*?)^```$/ms.exec(await Bun.file(PAGE).text()) ?? [];
  const flags = shown.match(/--\S+/g) ?? [];
  return flags.map((flag) => flag.replace('namespace=default', `namespace=${namespace}`));
}

const HASTE = [
  '--scan-interval=1s',
  '--scale-down-delay-after-add=1s',
  '--scale-down-unneeded-time=2s',
  '--unremovable-node-recheck-timeout=1s',
  '--node-delete-delay-after-taint=0s',
  '--enforce-node-group-min-size=true',
];

function run(log: string, command: string[]): Bun.Subprocess {
  const output = Bun.file(log);
  return Bun.spawn(command, {
    stdout: output,
    stderr: output,
    env: { ...process.env, CAPI_GROUP: 'machine.sapcloud.io' },
  });
}
