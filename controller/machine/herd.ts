import type { Machine } from '../../schemas/machine.ts';
import { ownedIn } from '../ownership.ts';
import { controllerOf } from '../runtime/object.ts';
import type { Hold } from '../safety/meltdown/areas.ts';
import { behind, inTheWay } from './budget.ts';
import type { MachineSources } from './observe.ts';

/** Another machine of the herd that is replaced first. */
export function holdInHerd(sources: MachineSources, machine: Machine): Hold | undefined {
  const now = sources.clock.now();
  const herd = herdOf(sources, machine);
  if (!herd) return undefined;
  const others = herd.sets.flatMap((set) => sources.machines.by('busy', set));
  const held = () => sources.permits.heldAgainst(herd.id, machine, sources.clock.monotonic());
  const name = inTheWay(machine, others, now)?.metadata.name ?? held();
  return name === undefined ? undefined : behind(name);
}

/**
 * The sets of the Machine's MachineDeployment, or its own set alone, as values of the index `owner`; undefined for a Machine that
 * no set controls.
 */
export function herdOf(
  { sets }: Pick<MachineSources, 'sets'>,
  machine: Machine,
): { id: string; sets: readonly string[] } | undefined {
  const own = controllerOf(machine);
  if (!own) return undefined;
  const set = sets.get(`${machine.metadata.namespace}/${own.name}`);
  const deployment = set && controllerOf(set);
  const { namespace } = machine.metadata;
  const id = ownedIn(namespace, (deployment ?? own).uid);
  return { id, sets: deployment ? sets.by('owner', id).map(({ metadata }) => ownedIn(namespace, metadata.uid)) : [id] };
}
