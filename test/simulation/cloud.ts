import type { Clock } from '../../controller/runtime/clock.ts';
import type { Stranger } from './strangers.ts';
import type { Tags } from './tags.ts';

/** A VM of the simulated cloud. */
export interface Vm {
  providerID: string;
  /** The token of its creation, the UID of its Machine; that of the Machine that has claimed it since. */
  token: string;
  /** `namespace/name` of its Machine. */
  machine: string;
  /** `namespace/name` of its class. */
  class: string;
  nodeName: string;
  zone: string;
  /** Which installation made it; absent where nobody knows. */
  incarnation: string | undefined;
  /** When it was made by the cloud's own clock; absent where the cloud does not tell. */
  created: number | undefined;
  /** When it was made in truth. */
  bornAt: number;
  /** Nobody here asked for it. */
  stranger?: Stranger;
  /** It was left on purpose. */
  retained?: true;
  initialized: boolean;
  /** From then on lists and statuses show it: clouds lag behind. */
  visibleAt: number;
  /** What a class may change while the VM runs. */
  size: number;
  tags: Tags;
  /** Others have put a tag of theirs on it. */
  foreign?: true;
  /** Its Node reports nothing. */
  broken: boolean;
  /** Its deletion has begun. */
  deleting?: true;
}

/** What a VM is made of. */
export type VmWish = Pick<
  Vm,
  'token' | 'machine' | 'class' | 'nodeName' | 'incarnation' | 'initialized' | 'size' | 'tags'
> & {
  lagMs: number;
};

/** A VM that comes from nowhere. */
export type VmFind = Pick<Vm, 'machine' | 'nodeName' | 'incarnation' | 'bornAt'> &
  Required<Pick<Vm, 'stranger'>> &
  Partial<Pick<Vm, 'created' | 'retained'>>;

/** Something happened to a VM. */
export type VmEvent = { type: 'made' | 'planted' | 'deleted' | 'vanished' | 'broken' | 'mended'; vm: Vm };

/**
 * A breach of the driver contract, with which a test shows that the simulation sees such things: a token makes a VM each
 * time; the same, and errors of a status are told as NotFound; a VM is denied as soon as its deletion begins.
 */
export type Breach = 'forgetful' | 'silence is absence' | 'denies what it deletes';

/** VMs in memory. A token makes one VM, ever; creation and deletion are consistent; what is told of VMs may be old. */
export class Cloud {
  /** By providerID. */
  readonly vms = new Map<string, Vm>();
  readonly #clock: Clock;
  readonly #breach: Breach | undefined;
  /** How far its clock is ahead, milliseconds. */
  readonly #skewMs: number;
  readonly #listeners = new Set<(event: VmEvent) => void>();
  #gone: Array<{ vm: Vm; at: number }> = [];
  #made = 0;

  constructor({ clock, breach, skewMs }: { clock: Clock; breach: Breach | undefined; skewMs: number }) {
    this.#clock = clock;
    this.#breach = breach;
    this.#skewMs = skewMs;
  }

  /** Calls `listener` with everything that happens. */
  onEvent(listener: (event: VmEvent) => void): void {
    this.#listeners.add(listener);
  }

  /** The VMs that a token made. */
  of(token: string): Vm[] {
    return [...this.vms.values()].filter((vm) => vm.token === token);
  }

  /** Makes the VM of a token, or answers the one that is there. */
  create({ lagMs, ...wish }: VmWish): Vm {
    const [found] = this.#breach === 'forgetful' || this.#breach === 'silence is absence' ? [] : this.of(wish.token);
    if (found) return found;
    const now = this.#clock.now();
    const vm = { ...wish, ...this.#born(now), visibleAt: now + lagMs };
    this.#add('made', vm);
    return vm;
  }

  /** Puts a VM there that nobody here asked for. */
  plant(find: VmFind): void {
    const born = this.#born(find.bornAt);
    const unknown = { token: born.providerID, class: '', initialized: true, size: 0, tags: {} };
    this.#add('planted', { ...unknown, ...born, ...find, visibleAt: 0 });
  }

  /** Removes every VM of a token, and the one of an id, in so many milliseconds; meanwhile they are there. */
  delete({ token, providerID, takesMs }: { token: string; providerID: string | undefined; takesMs: number }): void {
    for (const vm of this.vms.values()) {
      if (vm.token !== token && vm.providerID !== providerID) continue;
      if (takesMs === 0) this.#remove(vm, 'deleted');
      else if (!vm.deleting) this.#clock.after(takesMs, () => this.#remove(vm, 'deleted'));
      vm.deleting = true;
      this.setBroken(vm, true);
    }
  }

  /** Gives a VM the mark of another Machine. */
  claim(vm: Vm, mark: Pick<Vm, 'token' | 'incarnation'>): void {
    Object.assign(vm, mark);
    delete vm.retained;
  }

  /** Takes a VM away without anybody's doing. */
  lose(vm: Vm): void {
    this.#remove(vm, 'vanished');
  }

  /** Lets a VM's Node fall silent, or report again. */
  setBroken(vm: Vm, broken: boolean): void {
    if (!this.vms.has(vm.providerID) || vm.broken === broken || (vm.deleting && !broken)) return;
    vm.broken = broken;
    this.#tell({ type: broken ? 'broken' : 'mended', vm });
  }

  /** The VMs that a list names which is behind by so much: it still shows those that went meanwhile. */
  listed(lagMs: number): Vm[] {
    const since = this.#clock.now() - lagMs;
    this.#gone = this.#gone.filter(({ at }) => at > since);
    return [...this.shown(), ...this.#gone.map(({ vm }) => vm)];
  }

  /** The VMs that are shown now. */
  shown(): Vm[] {
    const isDenied = (vm: Vm) => this.#breach === 'denies what it deletes' && vm.deleting;
    return [...this.vms.values()].filter((vm) => vm.visibleAt <= this.#clock.now() && !isDenied(vm));
  }

  #born(bornAt: number) {
    const count = ++this.#made;
    const zone = count % 2 === 0 ? 'a' : 'b';
    return { providerID: `sim:///vm-${count}`, zone, bornAt, created: bornAt + this.#skewMs, broken: false };
  }

  #add(type: 'made' | 'planted', vm: Vm): void {
    this.vms.set(vm.providerID, vm);
    this.#tell({ type, vm });
  }

  #remove(vm: Vm, type: 'deleted' | 'vanished'): void {
    if (!this.vms.delete(vm.providerID)) return;
    this.#gone.push({ vm, at: this.#clock.now() });
    this.#tell({ type, vm });
  }

  #tell(event: VmEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
