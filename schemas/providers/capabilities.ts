/** What a driver may be able to do beyond making and removing VMs. */
export interface CapabilityRow {
  /** What it does; goes on after the driver's name. */
  description: string;
  /** The method of the driver contract by which the controller has it done; without one the driver does it by itself, when it makes the VM. */
  method?: 'setPowerState' | 'restart' | 'promoteDisks' | 'snapshot' | 'retainMachine' | 'updateMachine';
  /** The controller does not call the method yet: a driver that published it would promise what nobody does. */
  pending?: true;
}

/** Every word that a driver may publish. */
export const capabilities = {
  power: { description: 'powers VMs on and off', method: 'setPowerState', pending: true },
  suspend: { description: 'suspends VMs', method: 'setPowerState', pending: true },
  restart: { description: 'restarts VMs', method: 'restart', pending: true },
  disks: { description: 'makes disks independent of their image', method: 'promoteDisks', pending: true },
  snapshot: { description: 'takes snapshots of VMs', method: 'snapshot', pending: true },
  network: { description: 'gives VMs the interfaces of `spec.network`' },
  images: { description: 'boots VMs from the image that `spec.image.ref` names' },
  versions: { description: 'has VMs run the versions of `spec.versions`' },
  retain: { description: 'marks a VM as left on purpose, so that no sweep takes it', method: 'retainMachine' },
  update: { description: 'changes fields marked `x-drover-hot-update` on a VM that lives', method: 'updateMachine' },
} as const satisfies Readonly<Record<string, CapabilityRow>>;

/** One of them. */
export type Capability = keyof typeof capabilities;

/** All of them, with their rows. */
export const capabilityRows = Object.entries(capabilities) as ReadonlyArray<[Capability, CapabilityRow]>;

/** What keeps a driver that has these methods from publishing these words; empty when nothing does. */
export function capabilityFaults(published: readonly Capability[], has: (method: string) => boolean): string[] {
  return capabilityRows.flatMap(([word, { method, pending }]) => {
    const said = published.includes(word);
    if (said && pending) return [`must not publish ${word}: Drover does not call ${method} yet`];
    if (method === undefined || pending || said === has(method)) return [];
    return [`must publish ${word} if it has ${method}, and only then`];
  });
}
