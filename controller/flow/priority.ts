import type { Machine } from '../../schemas/machine.ts';
import type { Capability } from '../../schemas/providers/capabilities.ts';
import { priorityOverride } from '../../schemas/rules/machine.ts';
import { conditionOf } from '../runtime/k8s/core.ts';

/** Why a key is queued; chooses among the defaults only. */
export type Trigger = 'create' | 'update' | 'delete' | 'generic';

/** What a key is worth when nothing about its object is urgent, and for every object that is no Machine (hack/decisions/0000 5). */
export const defaults: Readonly<Record<Trigger, number>> = { create: -1, update: -2, delete: -3, generic: -4 };

type Abilities = ReadonlySet<Capability>;

/** What is known of a Machine beside its object. */
export interface MachineTraits {
  /** What the driver of its class can do. */
  can: Abilities;
  /** The last reconcile could only wait: it failed, was refused, or lacks something. */
  heldUp: boolean;
}

/** A level of urgency. */
interface Level {
  name: string;
  priority: number;
  when: (machine: Machine, can: Abilities) => boolean;
}

const DELETING: Level = {
  name: 'Deleting',
  priority: 98,
  when: ({ metadata }) => Boolean(metadata.deletionTimestamp),
};

/**
 * How urgent a Machine is, and when: the first row that applies decides (hack/decisions/0000 5). Where the outcome depends on a driver, the
 * Machine is urgent only while its status says, from the driver's answer, that there is something to do: without that condition it would be
 * urgent for ever.
 */
export const levels: readonly Level[] = [
  DELETING,
  { name: 'Creating', priority: 100, when: (machine) => conditionOf(machine, 'VMCreated')?.status !== 'True' },
  {
    name: 'PowerStateChange',
    priority: 99,
    when: wantsOtherPower,
  },
  { name: 'WaitingForIP', priority: 97, when: (machine, can) => can.has('network') && waitsForAddress(machine) },
  {
    name: 'WaitingForDiskPromotion',
    priority: 96,
    when: (machine, can) => can.has('disks') && waitsForDisks(machine),
  },
];

/**
 * How urgent a Machine is: an override, else the first level that applies, else the trigger's default. One that is held up
 * is not urgent until something changes, or ten thousand that fail would outrank everybody (hack/decisions/0042).
 */
export function machinePriority(machine: Machine, trigger: Trigger, { can, heldUp }: MachineTraits): number {
  const chosen = priorityOverride(machine.metadata.annotations);
  if (typeof chosen === 'number') return chosen;
  const level = levels.find(({ when }) => when(machine, can));
  return level && (level === DELETING || !heldUp) ? level.priority : defaults[trigger];
}

function wantsOtherPower({ spec, status }: Machine, can: Abilities): boolean {
  const wanted = spec?.powerState;
  if (!wanted || !status?.powerState || !can.has(wanted === 'Suspended' ? 'suspend' : 'power')) return false;
  return wanted !== status.powerState;
}

function waitsForDisks(machine: Machine): boolean {
  const mode = machine.spec?.promoteDisksMode ?? 'Disabled';
  return mode !== 'Disabled' && conditionOf(machine, 'DiskPromotionSynced')?.status === 'False';
}

function waitsForAddress({ spec, status }: Machine): boolean {
  const wanted = spec?.network !== undefined && spec.network !== null && spec.network.disabled !== true;
  const known = Boolean(status?.network?.primaryIP4) || Boolean(status?.network?.primaryIP6);
  return status?.powerState === 'PoweredOn' && wanted && !known;
}
