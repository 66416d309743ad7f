import type { Machine } from '../../schemas/machine.ts';
import type { Chance } from '../simulation/chance.ts';
import type { Herd } from './herd.ts';

/** How the world goes about machines. */
export interface WorldHabits {
  /** Machines become unhealthy. */
  ill: boolean;
  /** How likely the VM of a machine that leaves goes in one step. */
  gone: number;
}

/** Names of classes that begin so are of machines that never run. */
export const BAD = 'bad';

/** Time passes: machines come up, become unhealthy, recover, fail, and go. */
export function passTime(herd: Herd, chance: Chance, habits: WorldHabits): void {
  herd.now += chance.whole(1_000, 20_000);
  for (const machine of herd.machines) {
    if (machine.metadata.deletionTimestamp) leave(herd, machine, chance.happens(habits.gone));
    else
      turn(herd, machine, { phase: nextPhase(machine, chance, habits), vanished: habits.ill && chance.happens(0.3) });
  }
}

function leave(herd: Herd, { metadata }: Machine, isOver: boolean): void {
  if (isOver) herd.machines = herd.machines.filter((one) => one.metadata.uid !== metadata.uid);
}

/** The phase that a machine comes to now, the one that it has for none. */
function nextPhase({ status, spec }: Machine, chance: Chance, { ill }: WorldHabits): string {
  const phase = status?.currentStatus?.phase ?? '';
  if (phase === 'Pending' && chance.happens(0.4)) return spec?.class?.name?.startsWith(BAD) ? 'Failed' : 'Running';
  if (phase === 'Running' && ill && chance.happens(0.03)) return 'Unknown';
  if (phase === 'Unknown') return chance.weighted({ Running: 30, Failed: 14, Unknown: 56 });
  return phase;
}

function turn(herd: Herd, machine: Machine, { phase, vanished }: { phase: string; vanished: boolean }): void {
  const before = machine.status?.currentStatus?.phase;
  if (before === phase) return;
  const type = before === 'Pending' ? 'Create' : 'HealthCheck';
  const failure = phase === 'Failed' && { lastOperation: { type, state: 'Failed', description: 'made up' } };
  const loss = phase === 'Failed' && vanished && { errorReason: 'VMNotFound', failureReason: 'VMNotFound' };
  herd.patchMachine(machine, {
    status: { ...failure, ...loss, currentStatus: { phase, lastUpdateTime: herd.timestamp } },
  });
}
