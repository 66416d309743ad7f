import type { Machine } from '../../schemas/machine.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import type { Driver } from '../driver.ts';
import { claim, NO_OWNER } from '../ownership.ts';
import type { Cache } from '../runtime/cache.ts';
import type { Clock } from '../runtime/clock.ts';
import type { MachineSetView } from './view.ts';

/** Where the facts about MachineSets are read. */
export interface MachineSetSources {
  sets: Cache<MachineSet>;
  /** With the index `owner`. */
  machines: Cache<Machine>;
  classes: Cache<MachineClass>;
  drivers: ReadonlyMap<string, Driver>;
  clock: Clock;
}

/** Everything that a decision about this MachineSet needs; undefined when there is no such set. */
export function observe(sources: MachineSetSources, key: string, salt: number): MachineSetView | undefined {
  const set = sources.sets.get(key);
  if (!set) return undefined;
  const { namespace, uid = '' } = set.metadata;
  const owned = sources.machines.by('owner', uid);
  const unowned = sources.machines.by('owner', NO_OWNER).filter(({ metadata }) => metadata.namespace === namespace);
  const { matching, strays, orphans } = claim(set.spec?.selector, { owned, unowned });
  return { now: sources.clock.now(), set, machines: matching, strays, orphans, served: isServed(sources, set), salt };
}

function isServed({ classes, drivers }: MachineSetSources, { metadata, spec }: MachineSet): boolean {
  const machine = spec?.template?.spec;
  const provider = machine?.provider ?? classes.get(`${metadata.namespace}/${machine?.class?.name}`)?.provider;
  return provider !== undefined && drivers.has(provider);
}
