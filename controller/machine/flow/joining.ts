import type { MachineView } from './view.ts';

const JOINED_PHASES: ReadonlySet<string> = new Set([
  'Running',
  'Available',
  'Unknown',
  'InPlaceUpdating',
  'InPlaceUpdateSuccessful',
  'InPlaceUpdateFailed',
]);

/** Operations whose failure came after the machine was Running. */
const LATE_FAILURES: ReadonlySet<string> = new Set(['HealthCheck', 'InPlaceUpdate']);

/** The Machine was Running once: what follows is a matter of health, no longer of creation. */
export function hasJoined({ machine: { status } }: Pick<MachineView, 'machine'>): boolean {
  const phase = status?.currentStatus?.phase ?? '';
  return JOINED_PHASES.has(phase) || (phase === 'Failed' && LATE_FAILURES.has(status?.lastOperation?.type ?? ''));
}
