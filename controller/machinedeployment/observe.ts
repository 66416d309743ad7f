import type { Machine } from '../../schemas/machine.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { claim, NO_OWNER } from '../ownership.ts';
import type { Cache } from '../runtime/cache.ts';
import type { Clock } from '../runtime/clock.ts';
import type { MachineDeploymentView } from './view.ts';

/** Where the facts about MachineDeployments are read; sets and machines with the index `owner`. */
export interface MachineDeploymentSources {
  deployments: Cache<MachineDeployment>;
  sets: Cache<MachineSet>;
  machines: Cache<Machine>;
  clock: Clock;
}

/** Everything that a decision about this MachineDeployment needs; undefined when there is no such deployment. */
export function observe(sources: MachineDeploymentSources, key: string): MachineDeploymentView | undefined {
  const deployment = sources.deployments.get(key);
  if (!deployment) return undefined;
  const { namespace, uid = '' } = deployment.metadata;
  const unowned = sources.sets.by('owner', NO_OWNER).filter(({ metadata }) => metadata.namespace === namespace);
  const { matching, strays, orphans } = claim(deployment.spec.selector, {
    owned: sources.sets.by('owner', uid),
    unowned,
  });
  const sets = matching
    .sort(oldestFirst)
    .map((set) => ({ set, machines: sources.machines.by('owner', set.metadata.uid ?? '') }));
  return { now: sources.clock.now(), deployment, sets, strays, orphans };
}

function oldestFirst({ metadata: a }: MachineSet, { metadata: b }: MachineSet): number {
  const order = Date.parse(a.creationTimestamp ?? '') - Date.parse(b.creationTimestamp ?? '');
  return order || (a.name < b.name ? -1 : 1);
}
