import { join } from 'node:path';
import { findTools } from '../../hack/tools/find.ts';
import type { Cluster } from './cluster.ts';

/** Kubernetes' own controllers for pods: they make, count and place them as in any cluster. */
export interface Workloads {
  end(): Promise<void>;
}

/** Starts kube-controller-manager with ReplicaSets and disruption budgets alone, and kube-scheduler. */
export async function startWorkloads(cluster: Cluster): Promise<Workloads> {
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
