import { ANNOTATION_PRESERVE, ANNOTATION_PRESERVE_APPLIED } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import { knownPreserve, type PreserveValue } from '../../schemas/rules/preserve.ts';
import type { Node } from '../runtime/k8s/core.ts';

/** What applies: the Node's word once it has had one, else the Machine's; undefined when the Node says what nobody understands. */
export function preserveValue({ metadata }: Machine, node: Node | undefined): PreserveValue | undefined {
  if (node && nodeDecides(metadata.annotations, node))
    return knownPreserve(node.metadata.annotations?.[ANNOTATION_PRESERVE]);
  return knownPreserve(metadata.annotations?.[ANNOTATION_PRESERVE]) ?? '';
}

/** The Node's annotation is in control: it is there, or it was there when it was last looked at. */
export const nodeDecides = (ofMachine: Record<string, string> | undefined, { metadata }: Node): boolean =>
  Boolean(metadata.annotations?.[ANNOTATION_PRESERVE] || ofMachine?.[ANNOTATION_PRESERVE_APPLIED]);

/** When the Machine's preservation ends, milliseconds since the epoch; NaN when it is not preserved. */
export const expiryOf = ({ status }: Machine): number => Date.parse(status?.currentStatus?.preserveExpiryTime ?? '');

/** Failed, and kept to be looked at: it counts as a replica, and nothing takes its place (MCM 6.12). */
export const isPreservedFailed = (machine: Machine, now: number): boolean =>
  machine.status?.currentStatus?.phase === 'Failed' && expiryOf(machine) > now;
