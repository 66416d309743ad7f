import type { Cluster } from '../../schemas/cluster.ts';
import { parseDuration } from '../../schemas/duration.ts';
import { EXCLUDE_VOLUME_WAIT } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import { type DrainBehavior, drainBehaviors, type MachineDrainRule } from '../../schemas/machinedrainrule.ts';
import { drainRuleFindings, MOST_DRAIN_RULES } from '../../schemas/rules/drainrule.ts';
import { isEmpty, matches } from '../../schemas/selector.ts';
import { refusedMost } from '../drain/flow/plan.ts';
import { ANY_RULES, type DrainRule, type Labels, type RulesFact } from '../drain/flow/rules.ts';
import type { DrainLimits, DrainView } from '../drain/flow/view.ts';
import type { DrainRequest } from '../drain/memory.ts';
import { observeDrain } from '../drain/observe.ts';
import type { Drains } from '../drain/tracker.ts';
import type { Driver } from '../drivers/sdk/driver.ts';
import type { Lookup } from '../model/class.ts';
import { clusterKeyOf, openTargetOf, type Targets } from '../model/target.ts';
import type { Clock } from '../runtime/clock.ts';
import { keyOf } from '../runtime/k8s/object.ts';
import type { Cache } from '../runtime/watch/cache.ts';
import { type Following, follows } from '../runtime/watch/syncing.ts';
import { deadlineOf, isGivenUp } from './flow/drain.ts';
import type { DrainSettings } from './flow/limits.ts';
import { isLivingForced, livingDeadline } from './flow/livedrain.ts';
import { clocksFrom, deletionOf } from './flow/outage.ts';
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

/** What the rules of a Machine's namespace come to for the pods of its Node. */
export function rulesFor(
  { metadata: { labels = {} } }: Machine,
  { rules, clusterLabels }: { rules: readonly MachineDrainRule[]; clusterLabels: Labels | undefined },
): RulesFact {
  if (rules.length > MOST_DRAIN_RULES)
    return { at: 'faulty', why: TOO_MANY, rules: rules.some((rule) => behaviorOf(rule) === 'Skip') ? ANY_RULES : [] };
  const found: DrainRule[] = [];
  let why: string | undefined;
  for (const rule of rules.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))) {
    const fault = faultOf(rule);
    why ??= fault?.why;
    if (fault?.ofMachines || picks(rule, { labels, clusterLabels })) found.push(asDrainRule(rule));
  }
  return why === undefined ? { at: 'known', rules: found } : { at: 'faulty', why, rules: found };
}

const TOO_MANY = `the namespace has more than ${MOST_DRAIN_RULES} MachineDrainRules, more than are held against pods: delete some`;

/** Of no Cluster there are no labels, so that no selector that says something picks it. */
const picks = (
  { spec: { machines } }: MachineDrainRule,
  { labels, clusterLabels }: { labels: Labels; clusterLabels: Labels | undefined },
): boolean =>
  machines?.some(
    ({ selector, clusterSelector }) =>
      (isEmpty(selector) || matches(selector, labels)) &&
      (isEmpty(clusterSelector) || (clusterLabels !== undefined && matches(clusterSelector, clusterLabels))),
  ) ?? true;

/** The same one for the same rule: that tells a drain that nothing has changed. */
function asDrainRule(rule: MachineDrainRule): DrainRule {
  const before = known.get(rule);
  const made = before ?? drainRuleOf(rule);
  if (!before) known.set(rule, made);
  return made;
}

const known = new WeakMap<MachineDrainRule, DrainRule>();

function drainRuleOf(rule: MachineDrainRule): DrainRule {
  const { name } = rule.metadata;
  const behavior = behaviorOf(rule);
  if (faultOf(rule) !== undefined) return { name, behavior, order: 0, faulty: true };
  const { drain, pods } = rule.spec;
  return { name, behavior, order: behavior === 'Drain' ? (drain.order ?? 0) : 0, ...(pods && { pods }) };
}

/** What cannot be understood may mean that pods are to be skipped: that is the most that a rule says. */
const behaviorOf = ({ spec }: MachineDrainRule): DrainBehavior =>
  drainBehaviors.find((known) => known === spec?.drain?.behavior) ?? 'Skip';

/** Rules that were judged before: caches share objects that nobody changes. */
const faults = new WeakMap<MachineDrainRule, Fault | undefined>();

/** Why a rule cannot be understood, in words, and whether nobody knows which Machines it picks. */
interface Fault {
  why: string;
  ofMachines: boolean;
}

/** What is wrong with a rule: it is of an older webhook, or of none (Cluster API holds the drain as well). */
function faultOf(rule: MachineDrainRule): Fault | undefined {
  if (!faults.has(rule)) faults.set(rule, findFault(rule));
  return faults.get(rule);
}

function findFault({ metadata: { name }, spec }: MachineDrainRule): Fault | undefined {
  const findings = spec ? drainRuleFindings(spec) : [];
  const ofMachines = !spec || findings.some(({ at }) => !at.startsWith('spec.pods'));
  const says = (what: string) => ({ why: `MachineDrainRule ${name}: ${what}`, ofMachines });
  if (!drainBehaviors.some((known) => known === spec?.drain?.behavior))
    return says(`spec.drain.behavior must be one of ${drainBehaviors.join(', ')}`);
  const [first] = findings;
  return first && says(`${first.at} ${first.message}`);
}
