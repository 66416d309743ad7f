import type { Presence, VmStore, VmUpdate } from './store.ts';
import type { Vm } from './vm.ts';

/** Keeps VMs in the memory of the process: for benchmarks and tests, since a restart forgets them all. */
export function memoryStore(): VmStore {
  const vms = new Map<string, Vm>();
  const listeners: Array<(vm: Vm, presence: Presence) => void> = [];

  const tell = (vm: Vm, presence: Presence) => {
    for (const listener of listeners) listener(vm, presence);
  };
  const put = (vm: Vm): Vm => {
    vms.set(vm.uid, vm);
    tell(vm, 'there');
    return vm;
  };
  const take = (uid: string, presence: Presence) => {
    const vm = vms.get(uid);
    vms.delete(uid);
    if (vm) tell(vm, presence);
  };

  return {
    start: async () => {
      for (const vm of vms.values()) tell(vm, 'there');
    },
    onChange: (listener) => void listeners.push(listener),
    all: () => vms.values(),
    seen: (uid) => vms.get(uid),
    get: async (uid) => vms.get(uid),
    list: async () => [...vms.values()],
    create: async (vm) => vms.get(vm.uid) ?? put(vm),
    update: async (uid, change) => {
      const vm = vms.get(uid);
      return vm && put(updated(vm, change));
    },
    delete: async (uid) => take(uid, 'deleted'),
    lose: async (uid) => take(uid, 'vanished'),
  };
}

function updated(vm: Vm, { tags = {}, retained = vm.retained, ...fields }: VmUpdate): Vm {
  const kept = Object.entries({ ...vm.tags, ...tags }).filter((tag): tag is [string, string] => tag[1] !== null);
  return { ...vm, ...fields, retained: retained ?? undefined, tags: Object.fromEntries(kept) };
}
