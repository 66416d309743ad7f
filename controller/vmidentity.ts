import type { Machine } from '../schemas/machine.ts';

/**
 * A text that is the same for all ways to write one VM's providerID: the cloud and the id at the end, since clouds write
 * the middle in several ways (MCM 9.1). `aws:///eu-west-1/i-1` and `aws:///eu-west-1a/i-1` are one VM. An id without an
 * end stays as it is.
 */
export function vmIdentity(providerID: string): string {
  const id = providerID.slice(providerID.lastIndexOf('/') + 1);
  return id === '' ? providerID : `${providerID.slice(0, providerID.indexOf(':'))}:${id}`;
}

/** The VM that a Machine names in these words, as an index: none before it is known. */
export const vmsOf = ({ spec }: Machine): string[] => (spec?.providerID ? [vmIdentity(spec.providerID)] : []);
