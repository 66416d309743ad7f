import type { Machine } from '../schemas/machine.ts';
import { priorityOverride } from '../schemas/rules/priority.ts';

/** Why a key is queued; chooses among the defaults only. */
export type Trigger = 'create' | 'update' | 'delete' | 'generic';

/** What a key is worth when nothing about its object is urgent, and for every object that is no Machine (decisions 5). */
export const defaults: Readonly<Record<Trigger, number>> = { create: -1, update: -2, delete: -3, generic: -4 };

/** How urgent a Machine is, and when: the first row that applies decides (decisions 5). */
export const levels: ReadonlyArray<{ name: string; priority: number; when: (machine: Machine) => boolean }> = [
  { name: 'Deleting', priority: 98, when: ({ metadata }) => Boolean(metadata.deletionTimestamp) },
  { name: 'Creating', priority: 100, when: (machine) => !isTrue(machine, 'Created') },
  {
    name: 'PowerStateChange',
    priority: 99,
    when: ({ spec, status }) => Boolean(spec?.powerState) && spec?.powerState !== status?.powerState,
  },
  { name: 'WaitingForIP', priority: 97, when: waitsForAddress },
  {
    name: 'WaitingForDiskPromotion',
    priority: 96,
    when: (machine) =>
      Boolean(machine.spec?.promoteDisksMode) &&
      machine.spec?.promoteDisksMode !== 'Disabled' &&
      !isTrue(machine, 'DiskPromotionSynced'),
  },
];

/** How urgent a Machine is: an override, else the first level that applies, else the trigger's default. */
export function machinePriority(machine: Machine, trigger: Trigger): number {
  const chosen = priorityOverride(machine.metadata.annotations);
  if (typeof chosen === 'number') return chosen;
  return levels.find(({ when }) => when(machine))?.priority ?? defaults[trigger];
}

function waitsForAddress({ spec, status }: Machine): boolean {
  const wanted = spec?.network !== undefined && spec.network !== null && spec.network.disabled !== true;
  const known = Boolean(status?.network?.primaryIP4) || Boolean(status?.network?.primaryIP6);
  return status?.powerState === 'PoweredOn' && wanted && !known;
}

const isTrue = ({ status }: Machine, type: string): boolean =>
  status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;
