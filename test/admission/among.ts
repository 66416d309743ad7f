import type { Cluster } from '../../schemas/cluster.ts';
import { ANNOTATION_REVISION, LABEL_CLUSTER } from '../../schemas/keys.ts';
import { apiVersion } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineSet } from '../../schemas/machineset.ts';

/** What may stand in the namespace beside the object of a case. */

/** A Machine of the class `small`, or of another one. */
export const machineOf = (name: string, className = 'small'): Machine => ({
  apiVersion,
  kind: 'Machine',
  metadata: { name },
  spec: { class: { kind: 'MachineClass', name: className } },
});

/** A Machine that names a Cluster. */
export function machineIn(name: string, cluster: string): Machine {
  const machine = machineOf(name);
  return { ...machine, metadata: { ...machine.metadata, labels: { [LABEL_CLUSTER]: cluster } } };
}

/** A Cluster. */
export const clusterNamed = (name: string): Cluster => ({
  apiVersion: 'drover.dev/v1alpha1',
  kind: 'Cluster',
  metadata: { name },
  spec: { kubeconfigSecretRef: { name: `${name}-kubeconfig` } },
});

/** A Cluster that is being deleted, and kept by somebody's finalizer. */
export function leavingCluster(name: string): Cluster {
  const cluster = clusterNamed(name);
  const leaving = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['example.io/kept'] };
  return { ...cluster, metadata: { ...cluster.metadata, ...leaving } };
}

/** A MachineSet with these labels in its selector and its template. */
export const setOf = (name: string, labels: Record<string, string>): MachineSet => ({
  apiVersion,
  kind: 'MachineSet',
  metadata: { name },
  spec: {
    replicas: 0,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { class: { kind: 'MachineClass', name: 'small' } } },
  },
});

/** A MachineSet of a MachineDeployment, at a revision. */
export function revisionOf(deployment: string, revision: number): MachineSet {
  const set = setOf(`${deployment}-${revision}`, { app: 'herd', 'machine-template-hash': String(revision) });
  const owner = { apiVersion, kind: 'MachineDeployment', name: deployment, uid: '1', controller: true };
  const metadata = {
    ...set.metadata,
    annotations: { [ANNOTATION_REVISION]: String(revision) },
    ownerReferences: [owner],
  };
  return { ...set, metadata };
}
