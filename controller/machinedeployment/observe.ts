import type { Cluster } from '../../schemas/cluster.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { oldestFirst } from '../../schemas/revisions.ts';
import { type Lookup, templateClassOf } from '../model/class.ts';
import { isOnlyKept } from '../model/holding.ts';
import { adoptable, childrenIn, claim } from '../model/ownership.ts';
import { clusterFact } from '../model/readiness.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Cache } from '../runtime/watch/cache.ts';
import type { Gates } from '../safety/outage/gates.ts';
import type { Births } from '../state/births.ts';
import type { MachineDeploymentView } from './flow/view.ts';
import { letAlone, type NodeSources, nodesOf } from './observenodes.ts';

/** Where the facts about MachineDeployments are read; sets and machines with the index `owner`, machines with `vm`, too. */
export interface MachineDeploymentSources extends NodeSources {
  deployments: Cache<MachineDeployment>;
  sets: Cache<MachineSet>;
  gates: Gates;
  /** Of the sets. */
  births: Pick<Births, 'count'>;
  clusters: Lookup<Cluster>;
  clock: Clock;
  /** `--autoscaler-scaledown-annotation-during-rollout` */
  shieldsNodes: boolean;
}

/** What the process knows of the deployment besides. */
type Known = Pick<MachineDeploymentView, 'refused' | 'refusal'>;

/**
 * Everything that a decision about this MachineDeployment needs; undefined when there is no such deployment. Throws for one
 * without a spec, which MCM's CRD let be stored.
 */
export function observe(
  sources: MachineDeploymentSources,
  key: string,
  known: Known,
): MachineDeploymentView | undefined {
  const deployment = sources.deployments.get(key);
  if (!deployment) return undefined;
  if (!deployment.spec) throw new Error(`MachineDeployment ${key} has no spec: give it one, or delete it`);
  const { matching, strays, orphans } = claim(deployment, {
    owned: childrenIn(sources.sets, deployment),
    unowned: adoptable(sources.sets, deployment, 'MachineDeployment'),
  });
  const sets = matching.sort(oldestFirst).map((set) => ({
    set,
    machines: childrenIn(sources.machines, set).filter((machine) => !isOnlyKept(machine)),
    births: sources.births.count(set),
  }));
  const nodes = nodesOf(sources, sets);
  const now = sources.clock.now();
  const refusedNodes = letAlone(sources, sets, nodes);
  const found = sources.classes.get(templateClassOf(deployment));
  return {
    now,
    gate: sources.gates.of(deployment),
    cluster: clusterFact(sources, deployment),
    deployment,
    class: found,
    sets,
    nodes,
    refusedNodes,
    shieldsNodes: sources.shieldsNodes,
    strays,
    orphans,
    ...known,
  };
}
