import type { Machine } from '../../../../schemas/machine.ts';
import type { ListedVm } from '../../../drivers/sdk/driver.ts';
import { confirmedAt } from '../../../model/machine.ts';
import { MOST_ID } from '../../../nodes/owner.ts';
import type { Clock } from '../../../runtime/clock.ts';

/** So many VMs are remembered of a namespace, the latest ones. */
const MOST = 2_000;

/**
 * VMs that Machines left on purpose while this process ran: the driver's list may be slow to show that they are marked. Anybody may write
 * down an id, so that only those count that a driver has confirmed or marked, and each until lists have shown its mark for a while, the newest included: a
 * cloud answers from several places, of which one may be behind another.
 */
export class Retained {
  /** Ids by namespace, in the order in which they came, and since when lists show their mark. */
  readonly #ids = new Map<string, Map<string, number | undefined>>();
  /** UIDs of Machines that are still there, whose VM its driver has marked. */
  readonly #marked = new Set<string>();

  readonly #o: { clock: Pick<Clock, 'monotonic'>; graceMs: number };

  /** @param o `graceMs`: for so long lists show the mark before it says the same from then on, milliseconds */
  constructor(o: { clock: Pick<Clock, 'monotonic'>; graceMs: number }) {
    this.#o = o;
  }

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
    const ids = this.#ids.get(namespace) ?? new Map<string, number | undefined>();
    this.#ids.set(namespace, ids);
    ids.delete(providerID);
    ids.set(providerID, undefined);
    for (const first of ids.keys()) if (ids.size > MOST) ids.delete(first);
  }

  /** A Machine of this namespace that has gone left this VM on purpose. */
  has(namespace: string, providerID: string): boolean {
    return this.#ids.get(namespace)?.has(providerID) ?? false;
  }

  /** A list shows this VM, with its mark or without. */
  listed(namespace: string, { providerID, retained }: Pick<ListedVm, 'providerID' | 'retained'>): void {
    const ids = this.#ids.get(namespace);
    if (!ids?.has(providerID)) return;
    const now = this.#o.clock.monotonic();
    const since = retained ? (ids.get(providerID) ?? now) : undefined;
    ids.set(providerID, since);
    if (since !== undefined && now - since >= this.#o.graceMs) ids.delete(providerID);
    if (ids.size === 0) this.#ids.delete(namespace);
  }
}
