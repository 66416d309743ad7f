import { FINALIZER, SECRET_FINALIZER } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import {
  classOfMachine,
  foreignSecretOf,
  isInline,
  type Lookup,
  rememberedClass,
  secretKeysOf,
} from '../model/class.ts';
import type { KubeObject } from '../runtime/k8s/object.ts';
import type { ClassFact } from './flow/view.ts';

/** Where the class of a Machine and its Secrets are looked up. */
export interface ClassSources {
  classes: Lookup<MachineClass>;
  secrets: Lookup<KubeObject>;
  /** By the provider that each serves. */
  drivers: { has(provider: string): boolean };
}

/** How the class of a Machine stands; what the Machine remembers of it stands in for one that is gone. */
export function classFact(sources: ClassSources, machine: Machine): ClassFact {
  const live = classOfMachine(sources.classes, machine);
  const memory = isInline(machine) ? undefined : rememberedClass(machine);
  const found = live && !isAnother(live, memory, machine) ? live : memory;
  if (!found) return { at: 'missing', name: machine.spec?.class?.name ?? '' };
  if (!sources.drivers.has(found.provider ?? '')) return { at: 'foreign', provider: found.provider ?? '' };
  const foreign = foreignSecretOf(found);
  if (foreign !== undefined) return { at: 'secretForeign', secret: foreign };
  const secret = secretKeysOf(found).find((key) => !sources.secrets.get(key));
  if (secret !== undefined) return { at: 'secretMissing', secret };
  if (found !== live) return { at: 'ours', class: found, remembered: true };
  const unheld = isInline(machine) ? undefined : firstUnheld(sources, found);
  return { at: 'ours', class: found, ...(unheld !== undefined && { unheld }) };
}

/** Made anew under the name of the one that the VM was made from, and of another provider: no driver of it knows the VM. */
const isAnother = (live: MachineClass, memory: MachineClass | undefined, { spec }: Machine): boolean =>
  Boolean(spec?.providerID) && memory !== undefined && memory.provider !== live.provider;

/** What of a class and its Secrets could still be deleted under a new VM (MCM 6.3). */
function firstUnheld({ secrets }: ClassSources, found: MachineClass): string | undefined {
  const holds = (object: KubeObject | undefined, finalizer: string) => object?.metadata.finalizers?.includes(finalizer);
  if (!holds(found, FINALIZER)) return `MachineClass "${found.metadata.name}"`;
  const secret = secretKeysOf(found).find((key) => !holds(secrets.get(key), SECRET_FINALIZER));
  return secret === undefined ? undefined : `Secret "${secret}"`;
}
