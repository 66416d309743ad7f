import type { Machine } from '../../schemas/machine.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { herdOf } from '../model/ownership.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Cache } from '../runtime/watch/cache.ts';
import type { Hold } from '../safety/meltdown/policy.ts';
import { behind, inTheWay, type Permits } from './flow/replacementbudget.ts';

/** Where it is read who else is replaced. */
interface HerdSources {
  machines: Cache<Machine>;
  sets: Cache<MachineSet>;
  permits: Permits;
  clock: Clock;
}

/** Another machine of the herd that is replaced first. */
export function holdInHerd(sources: HerdSources, machine: Machine): Hold | undefined {
  const now = sources.clock.now();
  const herd = herdOf(sources, machine);
  if (!herd) return undefined;
  const others = herd.sets.flatMap((set) => sources.machines.by('busy', set));
  const held = () => sources.permits.heldAgainst(herd.id, machine, sources.clock.monotonic());
  const name = inTheWay(machine, others, now)?.metadata.name ?? held();
  return name === undefined ? undefined : behind(name);
}
