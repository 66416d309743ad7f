import type { Machine } from '../../schemas/machine.ts';
import { timestamp } from '../runtime/timestamp.ts';
import { isHeldReason } from '../safety/gated.ts';
import type { MachineView } from './view.ts';

type Status = NonNullable<Machine['status']>;
type Deletion = NonNullable<Status['deletion']>;

/** Times in a status are whole seconds. */
const SECOND_MS = 1_000;

/** Phases that last only so long. */
const LIMITED: ReadonlySet<string> = new Set(['Unknown', 'InPlaceUpdating', 'InPlaceUpdateFailed']);

/** The moment before which no clock of the Machine counts: there an outage ended, in milliseconds since the epoch. */
export const clocksFrom = ({ gate, machine }: Pick<MachineView, 'gate' | 'machine'>): number =>
  Math.max(gate.judgesFrom, heldUntil(machine));

/**
 * When an outage that held the Machine up was last over, milliseconds since the epoch; 0 for never. What a Node itself says
 * of the time since when it is not ready holds, whoever looked meanwhile: it begins anew only after such an outage.
 */
export const heldUntil = ({ status }: Machine): number => Date.parse(status?.clocksFrom ?? '') || 0;

/**
 * What is to be written before a Machine is looked at for the first time after an outage: its clocks begin anew, all of
 * them with their full time, and whoever comes after this process sees so (MCM 8.2). Undefined when there is no such thing.
 */
export function restartedClocks(view: MachineView): Partial<Status> | undefined {
  const { gate, machine, class: fact } = view;
  const wasHeld = isHeldReason(machine.status?.deciding?.reason);
  if (gate.shut || fact.at === 'foreign' || !(wasHeld || ranOutUnseen(view))) return undefined;
  const now = timestamp(view.now);
  const { currentStatus, deciding } = machine.status ?? {};
  const phase = currentStatus?.phase ?? '';
  return {
    clocksFrom: now,
    ...restartedDeletion(view),
    ...(deciding && wasHeld && { deciding: { ...deciding, reason: 'OutageOver' } }),
    ...(LIMITED.has(phase) && { currentStatus: { ...currentStatus, lastUpdateTime: now } }),
    ...(phase === 'Unknown' && { lastOperation: { ...RESET, lastUpdateTime: now } }),
  };
}

/** MCM's words for it. */
const RESET = {
  type: 'HealthCheck',
  state: 'Processing',
  description: 'Machine Health Timeout was reset due to APIServer being unreachable',
} as const;

/** A drain whose time ran out while nobody looked, or the control API server was away, so that it could not be held. */
function ranOutUnseen({ gate, machine }: MachineView): boolean {
  const { deadline, endedAt } = machine.status?.deletion?.drain ?? {};
  return deadline !== undefined && !endedAt && Date.parse(deadline) + SECOND_MS <= gate.judgesFrom;
}

/** A drain has its whole time again, and volumes that are being detached theirs. */
function restartedDeletion({ machine, now, drain }: MachineView): { deletion?: Deletion } {
  const deletion = machine.status?.deletion;
  const record = deletion?.drain;
  if (!deletion || !record) return {};
  if (record.endedAt) {
    if (!deletion.detachDeadline || !drain) return {};
    return { deletion: { ...deletion, detachDeadline: timestamp(now + drain.limits.detachMs) } };
  }
  const timeMs = Date.parse(record.deadline) - Date.parse(record.startedAt);
  const restarted = { ...record, startedAt: timestamp(now), deadline: timestamp(now + timeMs) };
  return { deletion: { ...deletion, drain: restarted } };
}
