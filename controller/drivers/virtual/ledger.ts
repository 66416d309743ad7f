import { DriverError } from '../sdk/errors.ts';
import { chanceOf } from './chance.ts';
import type { Presence } from './store.ts';
import type { Vm } from './vm.ts';

/** What one VM takes up. */
type Entry = Pick<Vm, 'class' | 'address'>;

/** Addresses lie in 10.0.0.1 to 10.255.255.254. */
const ADDRESSES = 2 ** 24 - 2;

/** Keeps count of the room in each class and of the addresses, of VMs that exist and of those about to be made. */
export class Ledger {
  readonly #entries = new Map<string, Entry>();
  readonly #countOf = new Map<string, number>();
  readonly #addresses = new Set<string>();

  /**
   * Sets room and an address aside for a VM; the same UID gets the same again.
   * @throws DriverError ResourceExhausted when the class has `capacity` VMs already
   */
  reserve({ uid, class: name, capacity }: { uid: string; class: string; capacity: number | undefined }): string {
    const known = this.#entries.get(uid);
    if (known) return known.address;
    if ((this.#countOf.get(name) ?? 0) >= (capacity ?? Number.POSITIVE_INFINITY)) {
      throw new DriverError(
        'ResourceExhausted',
        `class ${name} has room for ${capacity} virtual VMs, and all of it is taken`,
      );
    }
    const address = this.#freeAddress(uid);
    this.#enter(uid, { class: name, address });
    return address;
  }

  /** Gives back what was set aside for a VM that was not made. */
  release(uid: string): void {
    const entry = this.#entries.get(uid);
    if (!entry) return;
    this.#entries.delete(uid);
    this.#addresses.delete(entry.address);
    this.#countOf.set(entry.class, (this.#countOf.get(entry.class) ?? 1) - 1);
  }

  /** Follows a store: VMs that are there take up room, those that are gone do not. */
  follow({ uid, class: name, address }: Vm, presence: Presence): void {
    if (presence === 'there' && this.#entries.get(uid)?.address === address) return;
    this.release(uid);
    if (presence === 'there') this.#enter(uid, { class: name, address });
  }

  #enter(uid: string, entry: Entry): void {
    this.#entries.set(uid, entry);
    this.#addresses.add(entry.address);
    this.#countOf.set(entry.class, (this.#countOf.get(entry.class) ?? 0) + 1);
  }

  /** The first free address from a place that the UID decides. */
  #freeAddress(uid: string): string {
    let at = Math.floor(chanceOf(uid) * ADDRESSES);
    while (this.#addresses.has(addressAt(at))) at = (at + 1) % ADDRESSES;
    return addressAt(at);
  }
}

function addressAt(at: number): string {
  const number = at + 1;
  return `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
}
