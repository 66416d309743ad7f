import { type Cluster, clusterKind } from '../../schemas/cluster.ts';
import { clusterNamed, machineIn } from './among.ts';
import { builder, type CaseTable } from './case.ts';
import { metadataCases } from './metadata.ts';

const cluster = builder<Cluster>(clusterNamed('west'));

const protectedOne = cluster((made) => {
  made.spec.deletionProtection = true;
});

const elsewhere = cluster((made) => {
  made.spec.kubeconfigSecretRef = { name: 'other' };
});

const machines = ['a', 'b', 'c', 'd'].map((name) => machineIn(name, 'west'));

/** Requests about Clusters, and the rules that refuse them. */
export const clusterCases: CaseTable<Cluster> = {
  kind: clusterKind,
  cases: [
    { what: 'a plain Cluster', now: cluster(), refused: [] },
    { what: 'another kubeconfig of a Cluster without machines', before: cluster(), now: elsewhere, refused: [] },
    {
      what: 'another kubeconfig of a Cluster with machines',
      before: cluster(),
      now: elsewhere,
      among: machines,
      refused: [],
      warned: ['kubeconfig-moves'],
    },
    { what: 'a Cluster that nobody needs', now: cluster(), deleted: true, refused: [] },
    { what: 'a protected Cluster', now: protectedOne, deleted: true, refused: ['deletion-protected'] },
    {
      what: 'a protected Cluster with machines',
      now: protectedOne,
      deleted: true,
      among: machines,
      refused: ['deletion-protected'],
    },
    {
      what: 'a Cluster with machines',
      now: cluster(),
      deleted: true,
      among: machines,
      refused: [],
      warned: ['machines-left'],
    },
    { what: 'the end of the protection', before: protectedOne, now: cluster(), refused: [] },
    ...metadataCases(cluster),
  ],
};
