import { ANNOTATION_CONFIRMED } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import { isOnlyKept } from '../../../schemas/rules/machine.ts';
import { isPreservedFailed } from '../../model/machine.ts';
import { phaseOf, phaseRow } from '../../model/phases.ts';
import { controllerOf } from '../../runtime/k8s/object.ts';
import { isOut, type Judged, type Tally } from './policy.ts';

/** How a machine counts in its zone; `replaced`: given up for being unhealthy, and not gone yet. */
export type ZoneHealth = 'healthy' | 'unhealthy' | 'replaced';

/** Reasons for which a machine is given up that ran: it is replaced for being unhealthy, not because it never came up. */
const ILL_HEALTH: ReadonlySet<string> = new Set(['HealthTimedOut', 'VMNotFound', 'InPlaceUpdateAbandoned']);

/**
 * Reasons for which a machine that is being deleted stays until somebody acts. In the tables of reasons they are marked by `stays`; a test
 * of machine/flow/reasons.ts compares both.
 */
export const STAYING: ReadonlySet<string> = new Set([
  'Paused',
  'ClusterPaused',
  'DeletionCheckPending',
  'WaitingForPreDrainHook',
  'WaitingForPreTerminateHook',
  'ClassNotFound',
  'SecretNotFound',
  'RefNotPermitted',
  'NoDriverForProvider',
  'VMOfAnotherInstallation',
  'ProviderIDInvalid',
  'ControlPlaneNode',
  'NodeOwnedByAnother',
]);

/**
 * How the machine counts in its zone now (milliseconds since the epoch); undefined for one that does not count: it never ran, is deleted on
 * purpose, or Failed and is preserved (hack/decisions/0000 7, hack/decisions/0023).
 */
export function healthOf(machine: Machine, now: number): ZoneHealth | undefined {
  const { metadata, status } = machine;
  const phase = phaseOf({ status });
  if (!metadata.deletionTimestamp && phase !== 'Failed') return phaseRow(machine).health;
  if (isOnlyKept(machine) || isPreservedFailed(machine, now)) return undefined;
  if (!ILL_HEALTH.has(status?.failureReason ?? '') || !ran(machine)) return undefined;
  return goes(machine) ? 'replaced' : 'unhealthy';
}

/**
 * Whether a machine that counts does so for other namespaces as well: one that was given up only if a driver has confirmed its
 * VM, for anybody may write a providerID into a Machine, and one that leads nowhere is no loss (hack/decisions/0044).
 */
export const isHeard = ({ metadata, status }: Machine): boolean =>
  (!metadata.deletionTimestamp && phaseOf({ status }) !== 'Failed') || wasConfirmed(metadata);

/** It leaves, or will, for it has an owner that replaces it: others need not wait for one that stays (hack/decisions/0044). */
const goes = (machine: Machine): boolean =>
  machine.metadata.deletionTimestamp === undefined
    ? controllerOf(machine) !== undefined
    : !STAYING.has(machine.status?.currentStep?.reason ?? '');

/**
 * It ran once: its health was judged, its Node seen or its VM confirmed. A restored machine, or one that MCM made, is
 * confirmed only once its cloud answers, and counts before.
 */
const ran = ({ metadata, status }: Machine): boolean =>
  status?.failureReason !== 'VMNotFound' ||
  status.nodeRef !== undefined ||
  status.lastOperation?.type === 'HealthCheck' ||
  wasConfirmed(metadata);

/** A driver has confirmed that it has a VM, of whatever id. */
const wasConfirmed = ({ annotations, uid }: Machine['metadata']): boolean =>
  annotations?.[ANNOTATION_CONFIRMED]?.startsWith(`${uid} `) ?? false;

/** A namespace's machines in an area. */
export interface Voice {
  /** As they count for the namespace itself. */
  own: Tally;
  /** As they count for others: without those that nobody but their namespace says to have run (see {@link isHeard}). */
  heard: Tally;
}

/** Machines of an area, by namespace. */
export type Voices = ReadonlyMap<string, Voice>;

/**
 * The numbers by which each namespace's machines in an area are judged: its own where these are an outage, else those of
 * all, unless they are none without one other namespace. So an outage freezes everybody who is in it, and no namespace alone
 * freezes another, whatever it says of its machines (hack/decisions/0044).
 */
export function judgedIn(voices: Voices, outagePercent: number): (namespace: string) => Judged {
  const heard = new Map([...voices].map(([name, voice]) => [name, voice.heard]));
  const everybodys = sumOf(heard.values());
  const excess = ({ unhealthy, total }: Tally) => unhealthy * 100 - total * outagePercent;
  const loudest = [({ unhealthy }: Tally) => unhealthy, excess].map((weight) => firstTwo(heard, weight));
  return (namespace) => {
    const { own, heard: told } = voices.get(namespace) ?? SILENT;
    if (isOut(own, outagePercent)) return voices.size > 1 ? { ...own, alone: true } : own;
    const all = sumOf([minus(everybodys, told), own]);
    const without = loudest.flatMap((two) => two.filter(([name]) => name !== namespace).slice(0, 1));
    const left = without.map(([, one]) => minus(all, one));
    return left.find((tally) => !isOut(tally, outagePercent)) ?? all;
  };
}

const NONE: Tally = { total: 0, unhealthy: 0, replaced: 0 };
const SILENT: Voice = { own: NONE, heard: NONE };

/** The sum of tallies. */
export const sumOf = (tallies: Iterable<Tally>): Tally => {
  const sum = { ...NONE };
  for (const { total, unhealthy, replaced } of tallies) {
    sum.total += total;
    sum.unhealthy += unhealthy;
    sum.replaced += replaced;
  }
  return sum;
};

const minus = (all: Tally, one: Tally): Tally => ({
  total: all.total - one.total,
  unhealthy: all.unhealthy - one.unhealthy,
  replaced: all.replaced - one.replaced,
});

/** The two that weigh most: one of them may be whom it is judged for. */
const firstTwo = (tallies: ReadonlyMap<string, Tally>, weight: (tally: Tally) => number) =>
  [...tallies].toSorted(([, a], [, b]) => weight(b) - weight(a)).slice(0, 2);
