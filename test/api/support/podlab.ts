import { join } from 'node:path';
import { findTools } from '../../../hack/tools/find.ts';
import { open, type Shop } from './budgetedpods.ts';
import { type Cluster, type OwnCluster, ownControlPlane } from './controlplane.ts';
import { Herd } from './herd.ts';
import { Kubelets, type Paces } from './kubelets.ts';
import { PodWitness } from './podobserver.ts';

/** A herd whose Nodes run pods, as near to a cluster as it gets without one. */
export interface Lab {
  cluster: OwnCluster;
  herd: Herd;
  kubelets: Kubelets;
  witness: PodWitness;
  /** Opens shops; resolves once all their pods are ready, and watches over them from then on. */
  open(shops: readonly Shop[]): Promise<void>;
  /** Waits until all pods of these shops are ready. */
  whenReady(shops: readonly Shop[]): Promise<void>;
  end(): Promise<void>;
}

const PATIENCE = { timeoutMs: 120_000, everyMs: 100 };

/** Starts a control plane with Kubernetes' own controllers of pods, and an empty herd. */
export async function startLab(name: string, paces: Paces): Promise<Lab> {
  const cluster = await ownControlPlane();
  const herd = new Herd().settle(cluster, await cluster.namespace(name));
  await herd.kubectl('create', 'serviceaccount', 'default');
  const workloads = await startWorkloads(cluster);
  const [kubelets, witness] = [new Kubelets(paces), new PodWitness()];
  await Promise.all([kubelets.start(herd), witness.follow(herd)]);
  const whenReady = (shops: readonly Shop[]) =>
    herd.eventually(
      'all pods to be ready',
      async () => shops.every(({ name: shop, pods }) => witness.ready(shop) === pods),
      PATIENCE,
    );
  return {
    cluster,
    herd,
    kubelets,
    witness,
    whenReady,
    async open(shops) {
      await Promise.all(shops.map((shop) => open(herd, shop)));
      await whenReady(shops);
      for (const shop of shops) witness.watchOver(shop);
    },
    async end() {
      kubelets.end();
      witness.end();
      await workloads.end();
      await cluster.end();
    },
  };
}

/** Kubernetes' own controllers for pods: they make, count and place them as in any cluster. */
interface Workloads {
  end(): Promise<void>;
}

/** Starts kube-controller-manager with ReplicaSets and disruption budgets alone, and kube-scheduler. */
async function startWorkloads(cluster: Cluster): Promise<Workloads> {
  const { 'kube-controller-manager': manager, 'kube-scheduler': scheduler } = await findTools([
    'kube-controller-manager',
    'kube-scheduler',
  ]);
  const common = [
    `--kubeconfig=${cluster.kubeconfig}`,
    '--secure-port=0',
    '--leader-elect=false',
    '--kube-api-qps=500',
  ];
  const more = ['--kube-api-burst=1000'];
  const programs = [
    [manager, '--controllers=replicaset-controller,disruption-controller', '--concurrent-replicaset-syncs=20'],
    [scheduler],
  ];
  const children = programs.map((words) => {
    const output = Bun.file(join(cluster.folder, `workloads-${crypto.randomUUID()}.log`));
    return Bun.spawn([...words, ...common, ...more], { stdout: output, stderr: output });
  });
  return {
    async end() {
      for (const child of children) child.kill();
      await Promise.all(children.map(({ exited }) => exited));
    },
  };
}
