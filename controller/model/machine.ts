import {
  ANNOTATION_CONFIRMED,
  ANNOTATION_MARKED,
  ANNOTATION_PRESERVE,
  ANNOTATION_PRESERVE_APPLIED,
  ANNOTATION_PRIORITY,
} from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { knownPreserve, type PreserveValue } from '../../schemas/rules/preserve.ts';
import type { Node } from '../runtime/k8s/core.ts';
import { timestamp } from '../runtime/k8s/timestamp.ts';
import { isOnlyKept } from './holding.ts';
import { byOwner } from './ownership.ts';

/** Milliseconds until the Machine counts as available: 0 now, Infinity while it is not ready (hack/decisions/0054). */
export function availableIn(set: MachineSet, { status, metadata }: Machine, now: number): number {
  const phase = status?.currentStatus?.phase;
  if (metadata.deletionTimestamp || (phase !== 'Running' && phase !== 'Available')) return Infinity;
  const { minReadySeconds, minReadySecondsPolicy } = set.spec ?? {};
  const waitMs = minReadySecondsPolicy === 'Honor' ? (minReadySeconds ?? 0) * 1000 : 0;
  if (waitMs === 0) return 0;
  const since = Date.parse(status?.currentStatus?.lastUpdateTime ?? '') || now;
  return Math.max(0, since + waitMs - now);
}

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

/** A scaler wanted this machine to be gone when it last scaled, or before (MCM 4.11, 5.4): it goes, whatever the number. */
export function isVictim({ metadata }: Machine, until: number): boolean {
  const { [ANNOTATION_PRIORITY]: priority, [ANNOTATION_MARKED]: marked = '' } = metadata.annotations ?? {};
  return priority === '1' && Date.parse(marked) <= until;
}

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

/** The owners of a machine that does not stand, as an index: of a large herd only few are in the way of the others. */
export const busyByOwner = (machine: Machine): readonly string[] =>
  stands(machine) || isOnlyKept(machine) ? [] : byOwner(machine);

/**
 * Phases of machines that stand, well or not: only beside such may one be given up (MCM 6.6, Annex B "Meltdown"). Two
 * whose updates in place failed would wait for each other for ever, so these stand as well (decisions 3).
 */
const STANDING: ReadonlySet<string> = new Set(['Running', 'Unknown', 'InPlaceUpdateFailed']);

/** It has come up and does not leave. */
export const stands = (machine: Machine): boolean =>
  !machine.metadata.deletionTimestamp && STANDING.has(phaseOf(machine));

/** Its phase in its status, empty before it has one. */
export const phaseOf = ({ status }: Machine): string => status?.currentStatus?.phase ?? '';
