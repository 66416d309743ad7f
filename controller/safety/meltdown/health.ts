import { ANNOTATION_CONFIRMED } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import type { Phase } from '../../../schemas/machinestatus.ts';
import { isOnlyKept } from '../../model/holding.ts';
import { isPreservedFailed } from '../../model/preserve.ts';
import { controllerOf } from '../../runtime/k8s/object.ts';

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
  if (isOnlyKept(machine) || isPreservedFailed(machine, now)) return undefined;
  if (!ILL_HEALTH.has(status?.failureReason ?? '') || !ran(machine)) return undefined;
  return goes(machine) ? 'replaced' : 'ill';
}

/**
 * Whether a machine that counts does so for other namespaces as well: one that was given up only if a driver has confirmed its
 * VM, for anybody may write a providerID into a Machine, and one that leads nowhere is no loss (hack/decisions/0044).
 */
export const isHeard = ({ metadata, status }: Machine): boolean =>
  (!metadata.deletionTimestamp && status?.currentStatus?.phase !== 'Failed') || wasConfirmed(metadata);

/** It leaves, or will, for it has an owner that replaces it: others need not wait for one that stays (hack/decisions/0044). */
const goes = (machine: Machine): boolean =>
  machine.metadata.deletionTimestamp === undefined
    ? controllerOf(machine) !== undefined
    : !STAYING.has(machine.status?.deciding?.reason ?? '');

/**
 * It ran once: its health was judged, its Node seen or its VM confirmed. A restored machine, or one that MCM made, is
 * confirmed only once its cloud answers, and counts before.
 */
const ran = ({ metadata, status }: Machine): boolean =>
  status?.failureReason !== 'VmVanished' ||
  status.nodeRef !== undefined ||
  status.lastOperation?.type === 'HealthCheck' ||
  wasConfirmed(metadata);

/** A driver has confirmed that it has a VM, of whatever id. */
const wasConfirmed = ({ annotations, uid }: Machine['metadata']): boolean =>
  annotations?.[ANNOTATION_CONFIRMED]?.startsWith(`${uid} `) ?? false;
