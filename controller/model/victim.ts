import { ANNOTATION_MARKED, ANNOTATION_PRIORITY } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';

/** A scaler wanted this machine to be gone when it last scaled, or before (MCM 4.11, 5.4): it goes, whatever the number. */
export function isVictim({ metadata }: Machine, until: number): boolean {
  const { [ANNOTATION_PRIORITY]: priority, [ANNOTATION_MARKED]: marked = '' } = metadata.annotations ?? {};
  return priority === '1' && Date.parse(marked) <= until;
}
