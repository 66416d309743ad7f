import { ANNOTATION_REVISION } from '../../schemas/keys.ts';
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
