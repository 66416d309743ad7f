import type { Machine } from '../../../schemas/machine.ts';
import { confirmedAt } from '../../vmconfirmed.ts';

/** Longer ids no cloud has: those that there are have some hundred characters. */
export const MOST_ID = 1_024;

/** So many VMs are remembered of a namespace, the latest ones. */
const MOST = 2_000;

/**
 * VMs that Machines left on purpose while this process ran: the driver's list may be slow to show that they are marked. Anybody may write
 * down an id, so that only those count that a driver has confirmed or marked, and each until a list shows its mark.
 */
export class Retained {
  /** Ids by namespace, in the order in which they came. */
  readonly #ids = new Map<string, Set<string>>();
  /** UIDs of Machines that are still there, whose VM its driver has marked. */
  readonly #marked = new Set<string>();

  /** The driver has marked the VM of this Machine. */
  marked({ metadata }: Machine): void {
    if (metadata.uid) this.#marked.add(metadata.uid);
  }

  /** The Machine is gone. */
  gone(machine: Machine): void {
    const { namespace = '', uid = '' } = machine.metadata;
    const { providerID, deletionPolicy } = machine.spec ?? {};
    const isReal = this.#marked.delete(uid) || confirmedAt(machine) !== undefined;
    if (!isReal || !providerID || providerID.length > MOST_ID || deletionPolicy !== 'Retain') return;
    const ids = this.#ids.get(namespace) ?? new Set();
    this.#ids.set(namespace, ids);
    ids.delete(providerID);
    ids.add(providerID);
    for (const first of ids) if (ids.size > MOST) ids.delete(first);
  }

  /** A Machine of this namespace that has gone left this VM on purpose. */
  has(namespace: string, providerID: string): boolean {
    return this.#ids.get(namespace)?.has(providerID) ?? false;
  }

  /** A list shows the mark of this VM, which says the same from now on. */
  shown(namespace: string, providerID: string): void {
    const ids = this.#ids.get(namespace);
    if (ids?.delete(providerID) && ids.size === 0) this.#ids.delete(namespace);
  }
}
