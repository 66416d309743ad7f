import type { ListedVm } from '../../drivers/sdk/driver.ts';

/** So many VMs of a class are remembered whose deletion was answered, the latest ones: of the others their Nodes tell (hack/decisions/0055). */
const MOST = 1_000;

/** A deletion that its driver has answered; `isTold`: people know that the VM has gone. */
export interface Answered {
  vm: ListedVm;
  isTold: boolean;
}

/**
 * What is remembered of deletions of one class's orphans. A cloud may be its user's, and show ever new ones: so it is no more than its lists
 * show, or that is bounded, and goes with the class, whatever is in flight then (hack/decisions/0028 T76). By providerID.
 */
export class DeletionMemory {
  /** How often in a row a VM that was to be deleted was not: its deletion failed, or it was spared. */
  readonly #setbacks = new Map<string, number>();
  readonly #answered = new Map<string, Answered>();

  /** VMs whose deletion has failed, and those that were spared, go last, so that they keep no others from going. Others than these are forgotten. */
  inOrder(vms: readonly ListedVm[]): ListedVm[] {
    const listed = new Set(vms.map(({ providerID }) => providerID));
    for (const id of this.#setbacks.keys()) if (!listed.has(id)) this.#setbacks.delete(id);
    const setbacks = ({ providerID }: ListedVm) => this.#setbacks.get(providerID) ?? 0;
    return [...vms].sort((one, other) => setbacks(one) - setbacks(other));
  }

  /** It was not deleted once more. */
  setBack({ providerID }: ListedVm): void {
    this.#setbacks.set(providerID, (this.#setbacks.get(providerID) ?? 0) + 1);
  }

  /** Its deletion was answered, and its Nodes are still to go; `isTold` once it has gone. */
  answer(vm: ListedVm, isTold: boolean): void {
    if (isTold) this.#setbacks.delete(vm.providerID);
    this.#answered.set(vm.providerID, { vm, isTold });
    for (const first of this.#answered.keys()) if (this.#answered.size > MOST) this.#answered.delete(first);
  }

  /** People know that it has gone. */
  isTold({ providerID }: ListedVm): boolean {
    return this.#answered.get(providerID)?.isTold ?? false;
  }

  /** Its deletion was answered, and is not over. */
  has({ providerID }: ListedVm): boolean {
    return this.#answered.has(providerID);
  }

  /** Those of which that holds. */
  answered(): Answered[] {
    return [...this.#answered.values()];
  }

  /** It has gone, and its Nodes have as well. */
  over({ providerID }: ListedVm): void {
    this.#answered.delete(providerID);
  }
}
