import { ANNOTATION_CONFIRMED } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import type { Phase } from '../../../schemas/machinestatus.ts';
import { isPreservedFailed } from '../../preserve.ts';
import { controllerOf } from '../../runtime/object.ts';

/** How a machine counts in its zone; `replaced`: given up for ill health, on its way, and not gone yet. */
export type Standing = 'well' | 'ill' | 'replaced';

/** Phases of machines that ran once. One that has yet to come up says nothing of its zone's health. */
const STANDINGS: Readonly<Partial<Record<Phase, Standing>>> = {
  Running: 'well',
  Available: 'well',
  InPlaceUpdating: 'well',
  InPlaceUpdateSuccessful: 'well',
  Unknown: 'ill',
  InPlaceUpdateFailed: 'ill',
};

/** Reasons for which a machine is given up that ran: it is replaced for ill health, not because it never came up. */
const ILL_HEALTH: ReadonlySet<string> = new Set(['HealthTimedOut', 'VmVanished', 'InPlaceUpdateGivenUp']);

/** Reasons for which a machine that leaves stays where it is until somebody lets it go. */
const STAYING: ReadonlySet<string> = new Set([
  'Paused',
  'ClusterPaused',
  'DeleteCheck',
  'PreDrainHook',
  'PreTerminateHook',
]);

/**
 * How the machine counts in its zone at this moment (milliseconds since the epoch); undefined for one that does not: it
 * never ran, is deleted on purpose, or Failed and is kept to be looked at (decisions 7, hack/decisions/0023).
 */
export function standingOf(machine: Machine, now: number): Standing | undefined {
  const { metadata, status } = machine;
  const phase = status?.currentStatus?.phase ?? '';
  if (!metadata.deletionTimestamp && phase !== 'Failed') return STANDINGS[phase];
  if (isPreservedFailed(machine, now)) return undefined;
  if (!ILL_HEALTH.has(status?.failureReason ?? '') || !hadVm(machine)) return undefined;
  return goes(machine) ? 'replaced' : 'ill';
}

/** It leaves, or will, for it has an owner that replaces it: others need not wait for one that stays (hack/decisions/0044). */
const goes = (machine: Machine): boolean =>
  machine.metadata.deletionTimestamp === undefined
    ? controllerOf(machine) !== undefined
    : !STAYING.has(machine.status?.deciding?.reason ?? '');

/** A driver has confirmed its VM: anybody may write a providerID into a Machine, and one that leads nowhere is no loss. */
const hadVm = ({ metadata }: Machine): boolean =>
  metadata.annotations?.[ANNOTATION_CONFIRMED]?.startsWith(`${metadata.uid} `) ?? false;
