import type { Node } from '../../controller/runtime/k8s/core.ts';
import type { Pod } from '../../controller/runtime/k8s/workload.ts';
import type { Write } from '../world/store.ts';
import type { Server } from './server.ts';
import { podsOn } from './workload.ts';

/** Remembers which pods were on a Node when it was cordoned: none of them may be there when its VM goes (hack/decisions/0051 L40). */
export class LastPods {
  readonly #target: Server;
  /** UIDs of pods by that of their Node. */
  readonly #bound = new Map<string, ReadonlySet<string | undefined>>();

  constructor(target: Server) {
    this.#target = target;
  }

  /** Something is written to the target. */
  note({ resource, before, after }: Write): void {
    if (resource !== '/nodes' || !after || isCordoned(before) || !isCordoned(after)) return;
    const bound = podsOn(this.#target, after.metadata.name);
    this.#bound.set(after.metadata.uid ?? '', new Set(bound.map(({ metadata }) => metadata.uid)));
  }

  /** Those of them that are still there. */
  left({ metadata: { uid = '', name } }: Node): Pod[] {
    const bound = this.#bound.get(uid);
    return podsOn(this.#target, name).filter(({ metadata }) => bound?.has(metadata.uid));
  }
}

const isCordoned = (node: Write['after']): boolean => (node as Node | undefined)?.spec?.unschedulable === true;
