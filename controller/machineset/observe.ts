import type { Cluster } from '../../schemas/cluster.ts';
import { LABEL_NODE, LABEL_TEMPLATE_HASH } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import type { PartsLeft } from '../../schemas/selector.ts';
import type { Driver } from '../drivers/sdk/driver.ts';
import { classRecordOf, foreignSecretOf, type Lookup, secretKeysOf } from '../model/class.ts';
import { freezeStateOf, isFrozen } from '../model/freeze.ts';
import { expiryOf, isLive, mayHoldVm, preserveValue, replicasOf } from '../model/machine.ts';
import { childrenIn, leftTo, nobodysIn, sortChildren } from '../model/ownership.ts';
import { phaseOf } from '../model/phases.ts';
import { clusterFact } from '../model/readiness.ts';
import { openTargetOf, type Targets } from '../model/target.ts';
import type { HotFields } from '../model/template.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Node } from '../runtime/k8s/core.ts';
import { controllerOf, type KubeObject } from '../runtime/k8s/object.ts';
import type { Cache } from '../runtime/watch/cache.ts';
import type { Gates } from '../safety/outage/gate.ts';
import type { Births } from '../state/births.ts';
import { isAutoPreserved } from './flow/preservation.ts';
import { victimsUntil } from './flow/scaledown.ts';
import type { MachineSetView, OvershootLimits, Preserving } from './flow/view.ts';
import { type SetFact, sharesLimit, takenBySiblings } from './siblings.ts';

/** Where the facts about MachineSets are read. */
export interface MachineSetSources {
  sets: Cache<MachineSet>;
  /** With the index `owner`. */
  machines: Cache<Machine>;
  classes: Cache<MachineClass>;
  secrets: Lookup<KubeObject>;
  /** Of the sets' owners. */
  deployments: Cache<MachineDeployment>;
  targets: Targets;
  gates: Gates;
  clusters: Lookup<Cluster>;
  drivers: ReadonlyMap<string, Driver>;
  hotFields: HotFields;
  overshoot: OvershootLimits;
  births: Pick<Births, 'count'>;
  clock: Clock;
}

/** What the process knows of the set besides. */
type Known = Pick<MachineSetView, 'refused' | 'salt'>;

/** Everything that a decision about this MachineSet needs; undefined when there is no such set. */
export function observe(sources: MachineSetSources, key: string, known: Known): MachineSetView | undefined {
  const set = sources.sets.get(key);
  if (!set) return undefined;
  const owned = childrenIn(sources.machines, set);
  const { matching, strays } = sortChildren(set, { owned, unowned: [] });
  const deployment = deploymentOf(sources, set);
  const siblings = deployment ? childrenIn(sources.sets, deployment) : [set];
  const family = siblings.map((sibling) => memberOf(sources, sibling));
  const others = family.filter((one) => one.set.metadata.uid !== set.metadata.uid);
  return {
    now: sources.clock.now(),
    gate: sources.gates.of(set),
    cluster: clusterFact(sources, set),
    set,
    machines: matching,
    strays,
    orphans: orphansFor(sources, set),
    takenBySiblings: takenFrom(sources, { set, own: matching, others }),
    births: sources.births.count(set),
    siblingBirths: others.reduce((sum, { births = 0 }) => sum + births, 0),
    preserving: preservingOf(sources, { set, own: matching, spec: deployment?.spec ?? set.spec, family }),
    overshoot: sources.overshoot,
    deploymentFrozen: deployment !== undefined && isFrozen(freezeStateOf(deployment, deployment.status?.conditions)),
    victimsUntil: victimsUntil(set, deployment),
    ...birthOf(sources, set),
    ...known,
  };
}

/** Parts of selectors that one look judges for all siblings, some ten milliseconds' work (hack/decisions/0028 T65). */
const MOST_PARTS = 500_000;

/**
 * Looks for machines without a controlling owner that siblings select, only where their number matters: they may be many, and so may the
 * siblings. Where they are too many, it is unknown how much of the limit is left for this set: none, until they are fewer.
 */
function takenFrom(
  sources: MachineSetSources,
  { set, own, others }: Pick<Member, 'set' | 'own'> & { others: readonly SetFact[] },
): number {
  if (!sharesLimit(set) || own.filter(isLive).length >= replicasOf(set)) return 0;
  const nobodys = nobodysBeside(sources, set).filter(mayHoldVm);
  const [facts, work]: [SetFact[], PartsLeft] = [[], { left: MOST_PARTS }];
  for (const one of others) {
    facts.push(withOrphans(sources, one, { nobodys, work }));
    if (work.left < 0) return Infinity;
  }
  return takenBySiblings(set, facts);
}

/** With those that a set is still to adopt: they are there, whoever comes to count them. */
function withOrphans(sources: MachineSetSources, { set, machines, ...births }: SetFact, among: Among): SetFact {
  return { set, machines: [...machines, ...orphansFor(sources, set, among)], ...births };
}

/** Machines of nobody's, and how many parts of selectors they may still be held against. */
interface Among {
  nobodys: readonly Machine[];
  work?: PartsLeft;
}

/**
 * Machines that the set is to adopt. One that its deployment adopted selects by no hash, and so would take those of its
 * siblings' templates as well (hack/decisions/0059).
 */
function orphansFor(
  { machines }: Pick<MachineSetSources, 'machines'>,
  set: MachineSet,
  { nobodys, work }: Among = { nobodys: nobodysBeside({ machines }, set) },
): Machine[] {
  const { orphans } = sortChildren(
    set,
    { owned: [], unowned: nobodys.concat(leftTo(machines, set, 'MachineSet')) },
    work,
  );
  const isTold = set.spec?.selector?.matchLabels?.[LABEL_TEMPLATE_HASH] !== undefined;
  if (isTold || controllerOf(set)?.kind !== 'MachineDeployment') return orphans;
  const own = set.spec?.template?.metadata?.labels?.[LABEL_TEMPLATE_HASH];
  return orphans.filter(({ metadata }) => [undefined, own].includes(metadata.labels?.[LABEL_TEMPLATE_HASH]));
}

const memberOf = ({ machines, births }: MachineSetSources, set: MachineSet): SetFact => ({
  set,
  machines: childrenIn(machines, set),
  births: births.count(set),
});

const nobodysBeside = ({ machines }: Pick<MachineSetSources, 'machines'>, { metadata }: MachineSet): Machine[] =>
  machines.by('owner', nobodysIn(metadata.namespace));

/** A set in its family: all sets of the deployment, or it alone. */
interface Member {
  set: MachineSet;
  /** Its machines that its selector matches. */
  own: readonly Machine[];
  /** Of whoever has the budget. */
  spec: MachineDeployment['spec'] | MachineSet['spec'];
  family: readonly SetFact[];
}

/** The budget is the deployment's, whatever copy of it a set has (hack/spec/mcm.md 6.12 counts each set alone). */
function preservingOf(sources: MachineSetSources, { set, own, spec, family }: Member): Preserving {
  const machines = family
    .flatMap((one) => (one.set.metadata.uid === set.metadata.uid ? own : one.machines))
    .filter(({ metadata }) => !metadata.deletionTimestamp);
  const failed = machines.filter((machine) => phaseOf(machine) === 'Failed');
  const values = new Map(failed.map((machine) => [machine, preserveValue(machine, nodeOf(sources, machine))]));
  return {
    most: spec?.autoPreserveFailedMachineMax ?? 0,
    counted: machines.filter(isAutoPreserved),
    candidates: failed.filter((machine) => values.get(machine) === '' && Number.isNaN(expiryOf(machine))),
    wished: new Set(failed.filter((machine) => KEEPING.has(values.get(machine) ?? ''))),
  };
}

/** Words that keep a Failed machine. */
const KEEPING: ReadonlySet<string> = new Set(['now', 'when-failed', 'auto-preserved']);

function deploymentOf({ deployments }: MachineSetSources, set: MachineSet): MachineDeployment | undefined {
  const owner = controllerOf(set);
  const found = owner && deployments.get(`${set.metadata.namespace}/${owner.name}`);
  return found?.metadata.uid === owner?.uid ? found : undefined;
}

const nodeOf = ({ targets }: MachineSetSources, machine: Machine): Node | undefined =>
  openTargetOf(targets, machine)?.nodes.get(machine.metadata.labels?.[LABEL_NODE] ?? '');

/**
 * What machines that are served here are born with. Those whose class lacks a Secret remember it once that is there: as long as
 * they do not, it is sure that there is no VM (machine/flow/classresolution.ts).
 */
function birthOf(
  { classes, secrets, drivers, hotFields }: MachineSetSources,
  { metadata, spec }: MachineSet,
): Pick<MachineSetView, 'served' | 'record' | 'hot'> {
  const machine = spec?.template?.spec;
  const found = machine?.provider ? undefined : classes.get(`${metadata.namespace}/${machine?.class?.name}`);
  const { provider, providerSpec = {} } = found ?? machine ?? {};
  if (provider === undefined || !drivers.has(provider)) return { served: false };
  const hot = hotFields.of({ provider, providerSpec });
  const isWhole =
    found && !foreignSecretOf(found) && secretKeysOf(found).every((key) => secrets.get(key) !== undefined);
  return { served: true, ...(hot !== undefined && { hot }), ...(isWhole && { record: classRecordOf(found) }) };
}
