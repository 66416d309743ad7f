import type { Machine } from '../../../schemas/machine.ts';
import { vmIdentity } from '../../vmidentity.ts';
import type { Claims } from './view.ts';

/** What is known of Machines beside what stands in them. */
export interface Beside {
  /** A call that makes the VM of the Machine with this UID is in flight. */
  isCreating(uid: string): boolean;
  /** A Machine that has gone left this VM on purpose. */
  wasRetained(providerID: string): boolean;
}

/** What these Machines say of VMs. Names are compared across namespaces: a driver tells no namespace, and doubt spares a VM. */
export function claimsOf(machines: readonly Machine[], { isCreating, wasRetained }: Beside): Claims {
  const named = new Set<string>();
  const pending = new Set<string>();
  for (const { metadata, spec } of machines) {
    if (spec?.providerID) named.add(vmIdentity(spec.providerID));
    if (!spec?.providerID || isCreating(metadata.uid ?? '')) pending.add(metadata.name);
  }
  return {
    named: (providerID) => named.has(vmIdentity(providerID)),
    pending: (machineName) => pending.has(machineName),
    retained: wasRetained,
  };
}
