import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import type { Kind } from '../../schemas/kind.ts';

/** One request to the validating webhook, and the ids of the rules that speak against it, sorted by field. */
export interface AdmissionCase<T extends KubeObject = KubeObject> {
  what: string;
  now: T;
  /** As it is stored; a case without is a creation. */
  before?: T;
  /** Not written, but deleted, as it is in `now`. */
  deleted?: true;
  /** Who asks: somebody who may write the object, or somebody who may override as well. `owner` when absent. */
  as?: 'owner' | 'operator';
  /** By which it is refused: none when it is let through. */
  refused: readonly string[];
  /** Of which it is only told. */
  warned?: readonly string[];
  /** It takes a driver that Drover does not bring, so no webhook that runs can be asked. */
  madeUp?: true;
  /** What stands in the same namespace beside it; a class `small` of the virtual driver, and Clusters `west` and `east` when absent. */
  among?: readonly KubeObject[];
}

/** What the request of a case does. */
export function operationOf({ before, deleted }: AdmissionCase): 'create' | 'update' | 'delete' {
  if (deleted) return 'delete';
  return before ? 'update' : 'create';
}

/** The cases of one kind. */
export interface CaseTable<T extends KubeObject = KubeObject> {
  kind: Kind;
  cases: readonly AdmissionCase<T>[];
}

/** Makes objects that differ from a good one by what `change` does. */
export const builder =
  <T extends KubeObject>(good: T) =>
  (change: (made: T) => void = () => {}): T => {
    const made = structuredClone(good);
    change(made);
    return made;
  };
