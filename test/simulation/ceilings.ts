import { controllerOf } from '../../controller/runtime/object.ts';
import { ANNOTATION_MAX } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import type { WorldClock } from '../world/clock.ts';
import type { Write } from '../world/store.ts';
import type { Cloud } from './cloud.ts';
import type { Findings } from './finding.ts';
import { isExtra } from './overshoots.ts';
import type { Server } from './server.ts';

const SETS = 'machine.sapcloud.io/machinesets';
const MACHINES = 'machine.sapcloud.io/machines';

/** What it takes to know how many machines a set may have. */
interface CeilingParts {
  cloud: Cloud;
  control: Server;
  clock: WorldClock;
  findings: Findings;
  /** How old a set's size may be that somebody still acts on, milliseconds. */
  staleMs: number;
}

/** How many machines that may hold a VM each set may have: the most that it was allowed a short while ago. */
export class Ceilings {
  readonly #parts: CeilingParts;
  readonly #sizes = new Map<string, Array<{ at: number; most: number }>>();

  constructor(parts: CeilingParts) {
    this.#parts = parts;
  }

  /** Remembers the sizes of sets. */
  note({ resource, after }: Write): void {
    if (resource !== SETS || !after) return;
    const uid = after.metadata.uid ?? '';
    const sizes = this.#sizes.get(uid) ?? [];
    this.#sizes.set(uid, [...sizes, { at: this.#parts.clock.now(), most: ceilingOf(after as MachineSet) }]);
  }

  /** A Machine was made: finds sets that have too many. */
  judge(made: Machine): void {
    const { control, clock, findings, staleMs } = this.#parts;
    const owner = controllerOf(made)?.uid;
    const sizes = this.#sizes.get(owner ?? '') ?? [];
    const recent = sizes.filter(
      ({ at }, index) => (sizes[index + 1]?.at ?? at) >= clock.now() - staleMs || index === sizes.length - 1,
    );
    if (recent.length === 0) return;
    const most = Math.max(...recent.map((size) => size.most));
    const machines = control.api.store.list(MACHINES) as Machine[];
    const holding = machines.filter(
      (machine) => controllerOf(machine)?.uid === owner && !isExtra(machine) && this.#mayHoldVm(machine),
    ).length;
    if (holding > most)
      findings.add(
        'no more machines than allowed',
        `${controllerOf(made)?.name} has ${holding} machines, ${most} are allowed`,
      );
  }

  /** One that is Failed or leaves may be counted as long as it has a VM. */
  #mayHoldVm({ metadata, status }: Machine): boolean {
    const goes = metadata.deletionTimestamp !== undefined || status?.currentStatus?.phase === 'Failed';
    return !goes || this.#parts.cloud.of(metadata.uid ?? '').length > 0;
  }
}

function ceilingOf({ metadata, spec }: MachineSet): number {
  const replicas = spec?.replicas ?? 0;
  const most = Number.parseInt(metadata.annotations?.[ANNOTATION_MAX] ?? '', 10);
  return Number.isNaN(most) ? replicas + 1 : Math.max(most, replicas);
}
