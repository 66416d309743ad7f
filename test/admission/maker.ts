import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { apiVersion } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineSet } from '../../schemas/machineset.ts';

const UID = '00000000-0000-4000-8000-000000000001';
const NAME = 'maker';

interface Owning {
  kind?: string;
  uid?: string;
}

/** The object with an owner reference, to what might have made it unless it is said to be another. */
export function ownedBy<T extends KubeObject>(object: T, { kind = makerKind(object), uid = UID }: Owning = {}): T {
  const owner = { apiVersion, kind, name: NAME, uid, controller: true };
  return { ...object, metadata: { ...object.metadata, ownerReferences: [owner] } };
}

const makerKind = ({ kind }: KubeObject): string => (kind === 'Machine' ? 'MachineSet' : 'MachineDeployment');

/** The MachineSet that has a Machine in its template, or the MachineDeployment that has a MachineSet in its own. */
export function makerOf(made: KubeObject): KubeObject {
  const { labels = { app: 'herd' }, annotations = {} } = made.metadata;
  const template =
    made.kind === 'Machine'
      ? { metadata: { labels, annotations }, spec: (made as Machine).spec }
      : (made as MachineSet).spec.template;
  const spec = { replicas: 0, selector: { matchLabels: template.metadata?.labels }, template };
  const metadata = { name: NAME, uid: UID, annotations };
  return { apiVersion, kind: makerKind(made), metadata, spec } as KubeObject;
}

/** Whether anything makes objects of the kind out of a template. */
export const isMade = ({ kind }: KubeObject): boolean => kind === 'Machine' || kind === 'MachineSet';
