import type { Cluster } from '../../schemas/cluster.ts';
import { parseDuration } from '../../schemas/duration.ts';
import { EXCLUDE_VOLUME_WAIT } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineDrainRule } from '../../schemas/machinedrainrule.ts';
import { refusedMost } from '../drain/flow/force.ts';
import type { RulesFact } from '../drain/flow/rules.ts';
import type { DrainLimits, DrainView } from '../drain/flow/view.ts';
import type { DrainRequest } from '../drain/memory.ts';
import { observeDrain } from '../drain/observe.ts';
import type { Drains } from '../drain/tracker.ts';
import type { Driver } from '../drivers/sdk/driver.ts';
import type { Lookup } from '../model/class.ts';
import { clusterKeyOf } from '../model/clusterrefs.ts';
import { openTargetOf, type Targets } from '../model/target.ts';
import type { Clock } from '../runtime/clock.ts';
import { keyOf } from '../runtime/k8s/object.ts';
import type { Cache } from '../runtime/watch/cache.ts';
import { type Following, follows } from '../runtime/watch/following.ts';
import { rulesFor } from './drainrules.ts';
import { deletionOf } from './flow/deletionrecord.ts';
import { deadlineOf, isGivenUp } from './flow/drain.ts';
import type { DrainSettings } from './flow/limits.ts';
import { isLivingForced, livingDeadline } from './flow/livedrain.ts';
import { clocksFrom } from './flow/outage.ts';
import { isExcluded } from './flow/predicates.ts';
import type { MachineView } from './flow/view.ts';

/** Where the facts of a drain are read. */
export interface DrainSources {
  drains: Drains;
  targets: Targets;
  /** With the index `namespace`. */
  drainRules: Following & Pick<Cache<MachineDrainRule>, 'by'>;
  clusters: Lookup<Cluster>;
  drivers: ReadonlyMap<string, Driver>;
  clock: Clock;
  limits: { drain: DrainSettings };
}

/** How the drain of the Machine's Node stands; undefined when nobody wants one, or there is no Node. */
export function drainFact(
  sources: DrainSources,
  machine: Machine,
  { node, class: fact, gate }: Pick<MachineView, 'node' | 'class' | 'gate'>,
): DrainView | undefined {
  const { drains, targets, drivers, clock, limits } = sources;
  const target = openTargetOf(targets, machine);
  const drained = drainLimits(machine, limits.drain);
  const timeoutMs = drained.timeoutMs + drains.blindMs(machine.metadata.uid ?? '');
  const clocks = { now: clock.now(), timeoutMs, from: clocksFrom({ machine, gate }) };
  const living = node.at === 'present' ? livingDeadline({ machine, node: node.object }, clocks) : undefined;
  const deadline = deadlineOf(machine) ?? living;
  if (deadline === undefined) drains.forget(machine.metadata.uid ?? '');
  if (deadline === undefined || !target || node.at !== 'present') return undefined;
  const driver = fact.at === 'ours' ? drivers.get(fact.class.provider ?? '') : undefined;
  const { now } = clocks;
  const forced = machine.metadata.deletionTimestamp
    ? isGivenUp({ machine, gate }, node.conditions, now)
    : isLivingForced(machine, node.object, now);
  const getVolumeIDs = driver?.getVolumeIDs?.bind(driver);
  return observeDrain(
    { drains, clock },
    {
      key: keyOf(machine),
      uid: machine.metadata.uid ?? '',
      nodeName: node.name,
      target,
      deadline,
      forced,
      limits: drained,
      clocksFrom: clocks.from,
      rules: rulesFact(sources, machine),
      ...(isUnawaited(machine) && { volumesUnawaited: true }),
      ...drainSoFar(machine),
      ...(getVolumeIDs && { getVolumeIDs }),
    },
  );
}

/** The rules of its own namespace alone: nobody else's say anything of a Machine. */
function rulesFact({ drainRules, clusters, clock }: DrainSources, machine: Machine): RulesFact {
  if (!follows(drainRules, clock.monotonic())) return { at: 'unknown' };
  const rules = drainRules.by('namespace', machine.metadata.namespace ?? '');
  const cluster = clusters.get(clusterKeyOf(machine));
  return rulesFor(machine, { rules, clusterLabels: cluster && (cluster.metadata.labels ?? {}) });
}

/** Cluster API waits for no volumes between the pods of a drain, so that who excludes a machine from the wait expects none there. */
const isUnawaited = (machine: Machine): boolean =>
  machine.metadata.deletionTimestamp !== undefined && isExcluded(machine, EXCLUDE_VOLUME_WAIT);

/** What another process wrote down of the drain. */
function drainSoFar(machine: Machine): Pick<DrainRequest, 'startedAt' | 'refusedSince'> {
  const { startedAt, pods } = deletionOf(machine)?.drain ?? {};
  if (startedAt === undefined) return {};
  const refused = (pods ?? []).flatMap(
    ({ name, refusedSince }): Array<[string, number]> => (refusedSince ? [[name, Date.parse(refusedSince)]] : []),
  );
  return { startedAt: Date.parse(startedAt), refusedSince: new Map(refused) };
}

/** The Machine's own settings, else the controller's. */
function drainLimits({ spec }: Machine, settings: DrainSettings): DrainLimits {
  const { detachMs, reattachMs } = settings;
  const timeoutMs = parseDuration(spec?.drainTimeout ?? '') ?? settings.timeoutMs;
  const retries = spec?.maxEvictRetries ?? settings.evictRetries;
  return { timeoutMs, detachMs, reattachMs, refusedMs: refusedMost(retries, timeoutMs) };
}
