import { ANNOTATION_VM_EXPECTED } from '../../schemas/keys.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import type { Change } from '../framework/writer.ts';
import { timestamp } from '../runtime/k8s/timestamp.ts';

/** Notes of machines that have gone are this coarse, milliseconds: those that go together write one. */
const COARSE_MS = 60_000;

/**
 * Until when there may come a VM of a machine of this class that has gone, milliseconds since the epoch; undefined where none is expected. One
 * that nobody can read is as good as none.
 */
export function vmExpectedUntil({ metadata }: Pick<MachineClass, 'metadata'>): number | undefined {
  const until = Date.parse(metadata.annotations?.[ANNOTATION_VM_EXPECTED] ?? '');
  return Number.isNaN(until) ? undefined : until;
}

/** The note on the class that a VM may come until then; undefined where that stands there (hack/decisions/0051 L81). */
export function expectation(machineClass: MachineClass, until: number): Change | undefined {
  if ((vmExpectedUntil(machineClass) ?? 0) >= until) return undefined;
  const note = timestamp(Math.ceil(until / COARSE_MS) * COARSE_MS);
  return { metadata: { annotations: { [ANNOTATION_VM_EXPECTED]: note } } };
}

/** Takes the note off. */
export const NO_VM_EXPECTED: Change = { metadata: { annotations: { [ANNOTATION_VM_EXPECTED]: null } } };
