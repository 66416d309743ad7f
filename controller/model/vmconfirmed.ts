import { ANNOTATION_CONFIRMED } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import { timestamp } from '../runtime/k8s/timestamp.ts';

/**
 * When the VM that the Machine names was confirmed to be its own, milliseconds. A record that a backup brought is of another
 * UID, and none; nor is one of another VM.
 */
export function confirmedAt({ metadata, spec }: Machine): number | undefined {
  const [uid, at = '', vm] = metadata.annotations?.[ANNOTATION_CONFIRMED]?.split(' ') ?? [];
  const ms = Date.parse(at);
  const isIts = uid && uid === metadata.uid && vm === spec?.providerID;
  return isIts && !Number.isNaN(ms) ? ms : undefined;
}

/** The record that this VM is the Machine's. */
export const confirmation = ({ metadata }: Machine, providerID: string, now: number): Record<string, string> => ({
  [ANNOTATION_CONFIRMED]: `${metadata.uid} ${timestamp(now)} ${providerID}`,
});

/** Both were confirmed to have the VM: the earlier one comes first, else the one who was; neither was: nobody does. */
export function isBefore(machine: Machine, rival: Machine): boolean {
  const [own, its] = [confirmedAt(machine), confirmedAt(rival)];
  if (own === undefined || its === undefined) return own !== undefined;
  return own === its ? (machine.metadata.uid ?? '') < (rival.metadata.uid ?? '') : own < its;
}
