import type { Machine } from '../schemas/machine.ts';
import { priorityOverride } from '../schemas/rules/priority.ts';

/** Why a key is queued; chooses among the defaults only. */
export type Trigger = 'create' | 'update' | 'delete' | 'generic';

/** What a key is worth when nothing about its object is urgent, and for every object that is no Machine (decisions 5). */
export const defaults: Readonly<Record<Trigger, number>> = { create: -1, update: -2, delete: -3, generic: -4 };

/** What the driver of a Machine's class can do, as far as it makes anything urgent. */
export interface Capabilities {
  /** Sets and tells the power state of a VM. */
  power: boolean;
  /** Makes disks independent of their image. */
  disks: boolean;
}

/** What is known of a Machine beside what stands on it. */
export interface Standing {
  can: Capabilities;
  /** The last look found nothing that could be done but wait: it failed, was refused, or lacks something. */
  heldUp: boolean;
}

/** A level of urgency. */
interface Level {
  name: string;
  priority: number;
  when: (machine: Machine, can: Capabilities) => boolean;
}

const DELETING: Level = {
  name: 'Deleting',
  priority: 98,
  when: ({ metadata }) => Boolean(metadata.deletionTimestamp),
};

/** How urgent a Machine is, and when: the first row that applies decides (decisions 5). */
export const levels: readonly Level[] = [
  DELETING,
  { name: 'Creating', priority: 100, when: (machine) => !isTrue(machine, 'Created') },
  {
    name: 'PowerStateChange',
    priority: 99,
    when: ({ spec, status }, { power }) =>
      power && Boolean(spec?.powerState) && spec?.powerState !== status?.powerState,
  },
  { name: 'WaitingForIP', priority: 97, when: (machine, { power }) => power && waitsForAddress(machine) },
  {
    name: 'WaitingForDiskPromotion',
    priority: 96,
    when: (machine, { disks }) =>
      disks &&
      Boolean(machine.spec?.promoteDisksMode) &&
      machine.spec?.promoteDisksMode !== 'Disabled' &&
      !isTrue(machine, 'DiskPromotionSynced'),
  },
];

/**
 * How urgent a Machine is: an override, else the first level that applies, else the trigger's default. One that is held up
 * is not urgent until something changes, or ten thousand that fail would outrank everybody (hack/decisions/0042).
 */
export function machinePriority(machine: Machine, trigger: Trigger, { can, heldUp }: Standing): number {
  const chosen = priorityOverride(machine.metadata.annotations);
  if (typeof chosen === 'number') return chosen;
  const level = levels.find(({ when }) => when(machine, can));
  return level && (level === DELETING || !heldUp) ? level.priority : defaults[trigger];
}

function waitsForAddress({ spec, status }: Machine): boolean {
  const wanted = spec?.network !== undefined && spec.network !== null && spec.network.disabled !== true;
  const known = Boolean(status?.network?.primaryIP4) || Boolean(status?.network?.primaryIP6);
  return status?.powerState === 'PoweredOn' && wanted && !known;
}

const isTrue = ({ status }: Machine, type: string): boolean =>
  status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;
