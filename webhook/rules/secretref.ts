import type { MachineClass } from '../../schemas/machineclass.ts';
import { isSubdomain } from '../../schemas/selector.ts';
import type { Rule } from '../admission/rule.ts';
import type { Breach } from '../providers/breach.ts';

const NO_NAME = 'must be the name of a Secret: lower case letters, digits, - and .';
const FOREIGN =
  "must be the class's own namespace: whoever may write a class could read any Secret of the cluster through its machines; copy the Secret here";

/**
 * References to Secrets. MCM sees no Secret outside its own namespace (MCM 6.3), so none of its classes names another;
 * Drover serves many namespaces, and must not lend its eyes to one that has no right to see into another.
 */
export const secretRefRules: readonly Rule<MachineClass>[] = [
  refComplete('secret-ref', 'secretRef'),
  refComplete('credentials-secret-ref', 'credentialsSecretRef'),
];

function refComplete(id: string, field: 'secretRef' | 'credentialsSecretRef'): Rule<MachineClass> {
  return {
    id,
    on: ['create', 'update'],
    field,
    says: 'must name a Secret of the same namespace',
    broken: (now) => breaches(now[field], now.metadata.namespace),
  };
}

/** A reference without anything in it is what typed Go clients write for none. */
function breaches(ref: MachineClass['secretRef'], own: string | undefined): Breach[] {
  if (!ref?.name && !ref?.namespace) return [];
  return [
    ...(isSubdomain(ref.name ?? '') ? [] : [{ at: '.name', says: NO_NAME }]),
    ...(ref.namespace && ref.namespace !== own ? [{ at: '.namespace', says: FOREIGN }] : []),
  ];
}
