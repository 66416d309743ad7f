import type { Cluster } from '../../schemas/cluster.ts';
import type { FormerIds } from '../../schemas/config/formerids.ts';
import { LABEL_NODE, TAINT_CRITICAL_COMPONENTS } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { MOST_CONDITIONS } from '../../schemas/machinespec.ts';
import { isOnlyKept } from '../../schemas/rules/machine.ts';
import type { Drains } from '../drain/tracker.ts';
import type { Driver } from '../drivers/sdk/driver.ts';
import { endOf, sameVmBy } from '../drivers/sdk/vmstatus.ts';
import { knownClass, type Lookup } from '../model/class.ts';
import { isRolledBeside } from '../model/machine.ts';
import { herdOf } from '../model/ownership.ts';
import { phaseOf } from '../model/phases.ts';
import { clusterFact } from '../model/readiness.ts';
import { type Heard, nodeKeyIn, type Target, type Targets } from '../model/target.ts';
import type { Host } from '../nodes/host.ts';
import { recordedOwner } from '../nodes/owner.ts';
import { type Clock, wallOf } from '../runtime/clock.ts';
import type { Node, Secret } from '../runtime/k8s/core.ts';
import { keyOf } from '../runtime/k8s/object.ts';
import type { Cache } from '../runtime/watch/cache.ts';
import type { Census } from '../safety/meltdown/census.ts';
import type { ReplacementHold } from '../safety/meltdown/policy.ts';
import type { Gates } from '../safety/outage/gate.ts';
import type { MachineTokens } from './bootstrap/tokens.ts';
import { changeMark, type InFlightCalls, isNamed } from './calls/inflight.ts';
import { slotKeyOf } from './calls/limiter.ts';
import type { Updates } from './calls/updates.ts';
import { classFact, unsupportedFields } from './flow/classresolution.ts';
import { isHost } from './flow/deletion.ts';
import { gateOfMachine } from './flow/gating.ts';
import { healthLeft, illnessOf, mayBeGivenUp } from './flow/health.ts';
import { limitsOf, type MachineLimits } from './flow/limits.ts';
import { isNodeOf, isOwnNode, isStale, type NodeFacts, whyNotIts } from './flow/nodeidentity.ts';
import { behind, inTheWay, type Permits } from './flow/replacementbudget.ts';
import type { ClassFact, MachineView, NodeFact, UpdateFact } from './flow/view.ts';
import { type ClaimFact, claimFact } from './flow/vmclaim.ts';
import { type RefusedWrites, refusalMark } from './flow/writefailures.ts';
import { type DrainSources, drainFact } from './observedrain.ts';

/** Where the facts about Machines are read. */
export interface MachineSources {
  machines: Cache<Machine>;
  classes: Cache<MachineClass>;
  secrets: Cache<Secret>;
  targets: Targets;
  gates: Gates;
  clusters: Lookup<Cluster>;
  drainRules: DrainSources['drainRules'];
  drivers: ReadonlyMap<string, Driver>;
  calls: InFlightCalls;
  drains: Drains;
  refusals: RefusedWrites;
  tokens: MachineTokens;
  updates: Updates;
  sets: Cache<MachineSet>;
  /** Whether rollouts here keep an autoscaler from Nodes: `--autoscaler-scaledown-annotation-during-rollout`. */
  disablesScaleDown: boolean;
  permits: Permits;
  /** The Node that this process runs on, as far as it was told. */
  host?: Host | undefined;
  census: Pick<Census, 'holdFor' | 'givenUp'>;
  /** Id of this installation. */
  incarnation: string;
  /** Ids of other installations that a namespace was moved from. */
  formerIds?: FormerIds;
  /** Machines of this namespace alone are seen; those of all, if it is absent or empty. */
  namespace?: string | undefined;
  clock: Clock;
  limits: MachineLimits;
}

/** Everything that a decision about this Machine needs; undefined when there is no such Machine. */
export function observe(sources: MachineSources, key: string): MachineView | undefined {
  const machine = sources.machines.get(key);
  if (!machine) return undefined;
  const fact = classFact(sources, machine);
  const uid = machine.metadata.uid ?? '';
  const vm = sources.calls.vm(uid);
  const mark = changeMark(sources, machine, fact);
  const gate = gateOfMachine(sources.gates, machine);
  const claim = claimIn(sources, machine, fact);
  const node: NodeFact = gate.abandoned ? { at: 'none' } : nodeFact(sources, machine, claim);
  const drain = drainFact(sources, machine, { node, class: fact, gate });
  return {
    now: sources.clock.now(),
    gate,
    cluster: clusterFact(sources, machine),
    machine,
    ...bornOf(sources, uid),
    class: fact,
    vm,
    claim,
    calls: sources.calls.fact({ uid, key, classKey: slotKeyOf(machine, fact), mark, isNamed: isNamed(machine) }),
    update: updateFact(sources, { machine, fact, mark }),
    node,
    ...(drain && { drain }),
    ...(mustDisableScaleDown(sources, machine, node) && { disablesScaleDown: true }),
    token: sources.tokens.fact(machine, fact, vm),
    limits: limitsOf(machine, sources.limits),
    startupTaint: sources.limits.startupTaint,
    mark,
    ...refusedFact(sources, machine, mark),
    isHost: isHost(sources.host, { machine, node }),
    ...supportFact(sources, machine),
    ...holdFact(sources, { machine, vm, gate }),
  };
}

/** Checked only until an owner is recorded on the Node: later the deployment disables the scale-down. */
const mustDisableScaleDown = (sources: MachineSources, machine: Machine, node: NodeFact): boolean =>
  sources.disablesScaleDown &&
  node.at === 'present' &&
  recordedOwner(node.object, machine) === 'none' &&
  isRolledBeside(sources, machine);

function refusedFact({ refusals, clock }: MachineSources, machine: Machine, mark: string) {
  const moment = { now: clock.now(), monotonic: clock.monotonic() };
  return refusals.of(machine.metadata.uid ?? '', { mark: refusalMark(mark, machine), ...moment });
}

function supportFact({ classes, drivers }: MachineSources, machine: Machine): Pick<MachineView, 'unsupported'> {
  const driver = drivers.get(knownClass(classes, machine)?.provider ?? '');
  const unsupported = unsupportedFields(machine.spec, driver);
  return unsupported === undefined ? {} : { unsupported };
}

function bornOf({ updates }: MachineSources, uid: string): Pick<MachineView, 'bornAt' | 'inheritedAt' | 'unasked'> {
  const bornAt = updates.bornAt(uid);
  if (bornAt === undefined) return { inheritedAt: updates.begunAt() };
  return { bornAt, ...(updates.isUnasked(uid) && { unasked: true }) };
}

/**
 * Only an unhealthy Machine needs the health of the others; the machines of its deployment are counted only when it is due, as they may be
 * many.
 */
function holdFact(
  sources: MachineSources,
  { machine, vm, gate }: Pick<MachineView, 'machine' | 'vm' | 'gate'>,
): Pick<MachineView, 'hold'> {
  const phase = phaseOf(machine);
  const isUnhealthy = vm.at === 'absent' || phase !== 'Running';
  if (!isUnhealthy || !mayBeGivenUp(machine)) return {};
  const inArea = sources.census.holdFor(machine);
  const asked = { machine, gate, now: sources.clock.now(), limits: limitsOf(machine, sources.limits) };
  const isDue = vm.at === 'absent' || phase === 'InPlaceUpdateFailed' || healthLeft(asked) <= 0;
  if (!isDue) return {};
  const hold = inArea ?? holdInHerd(sources, machine);
  return hold ? { hold } : {};
}

function updateFact(
  { updates }: MachineSources,
  { machine, fact, mark }: { machine: Machine; fact: ClassFact; mark: string },
): UpdateFact {
  const stands = updates.fact({
    uid: machine.metadata.uid ?? '',
    key: keyOf(machine),
    classKey: slotKeyOf(machine, fact),
    mark,
  });
  const desired = fact.at === 'ours' && !fact.fromRecord ? updates.hotFields.of(fact.class) : undefined;
  return desired === undefined ? stands : { ...stands, desired };
}

function claimIn(sources: MachineSources, machine: Machine, fact: ClassFact): ClaimFact {
  const { calls, machines, drivers, incarnation: installation, formerIds } = sources;
  const former = formerIds?.get(machine.metadata.namespace ?? '');
  const reported = calls.reported(machine.metadata.uid ?? '');
  const claimants = reported ? machines.by('vm', endOf(reported.providerID)).filter(hasSomething) : [];
  const driver = fact.at === 'ours' ? drivers.get(fact.class.provider ?? '') : undefined;
  const isVmId = driver?.isVmId && ((id: string) => driver.isVmId?.(id) ?? true);
  return claimFact({
    machine,
    reported,
    installation,
    former,
    claimants,
    isSameVm: sameVmBy(drivers.values()),
    isVmId,
  });
}

/** A Machine that only somebody else's finalizer keeps has no VM and no Node any more (hack/decisions/0028 T79). */
const hasSomething = (machine: Machine): boolean => !isOnlyKept(machine);

/** What is known of whose a Node of this name is. */
export function nodeFactsOf(
  { calls, machines, namespace, drivers }: Pick<MachineSources, 'calls' | 'machines' | 'namespace' | 'drivers'>,
  { machine, claim }: Pick<MachineView, 'machine' | 'claim'>,
  { target, name }: { target: Target; name: string },
): NodeFacts {
  const uid = machine.metadata.uid ?? '';
  const namesakes = machines.by('node', nodeKeyIn(target, name)).filter(hasSomething);
  const isSeen = (key: string) => !namespace || key.startsWith(`${namespace}/`);
  return {
    machine,
    claim,
    namesakes,
    named: (key) => (isSeen(key) ? [machines.get(key)].find((other) => other && hasSomething(other)) : 'unseen'),
    isSameVm: sameVmBy(drivers.values()),
    reported: calls.reported(uid),
    reportedOf: (other) => calls.reported(other),
    isShared: !namespace && !target.cluster,
    isAbsent: calls.vm(uid).at === 'absent',
  };
}

function nodeFact(sources: MachineSources, machine: Machine, claim: ClaimFact): NodeFact {
  const { targets, limits } = sources;
  const fact = targets.of(machine);
  if (fact.at === 'none') return fact;
  if (fact.at !== 'open') return { at: 'unknown' };
  const { target } = fact;
  const node = target.nodes.get(machine.metadata.labels?.[LABEL_NODE] ?? '');
  if (!node) return { at: 'absent' };
  const { name, uid = '', deletionTimestamp } = node.metadata;
  const facts = nodeFactsOf(sources, { machine, claim }, { target, name });
  if (!isNodeOf(facts, node)) return foreignFact(facts, node);
  const conditions = node.status?.conditions ?? [];
  const watched = watchedOf(machine) ?? limits.nodeConditions;
  const critical = node.spec?.taints?.some(isCritical) ?? false;
  const ill = illnessOf(node, watched);
  return {
    at: 'present',
    name,
    uid,
    ours: isOwnNode(facts, node),
    deleting: Boolean(deletionTimestamp),
    ready: ill === undefined,
    ...(ill !== undefined && { ill }),
    silent: target.heartbeats?.isSilent(node) ?? false,
    ...heardFact(sources.clock, target.heartbeats?.heard(node)),
    changedAt: Math.max(0, ...conditions.map(({ lastTransitionTime }) => Date.parse(lastTransitionTime ?? '') || 0)),
    critical,
    conditions,
    object: node,
  };
}

const heardFact = (clock: Clock, heard: Heard | undefined): { heard?: Heard } =>
  heard ? { heard: heard.livedAt === undefined ? {} : { livedAt: wallOf(clock, heard.livedAt) } } : {};

function foreignFact(facts: NodeFacts, node: Node): NodeFact {
  const providerID = node.spec?.providerID ?? '';
  const why = providerID ? undefined : whyNotIts(facts, node);
  const { name } = node.metadata;
  return { at: 'foreign', name, providerID, stale: isStale(facts.machine, node), ...(why && { why }) };
}

const isCritical = ({ key, effect }: { key: string; effect: string }): boolean =>
  key === TAINT_CRITICAL_COMPONENTS && effect === 'NoSchedule';

/** Of what was stored before its bound, the beginning counts (hack/decisions/0028 T82). */
const watchedOf = ({ spec }: Machine): string[] | undefined =>
  spec?.nodeConditions
    ?.slice(0, MOST_CONDITIONS)
    .split(',')
    .map((type) => type.trim());

/** Where it is read who else is replaced. */
interface HerdSources {
  machines: Cache<Machine>;
  sets: Cache<MachineSet>;
  permits: Permits;
  clock: Clock;
}

/** Another machine of the herd that is replaced first. */
export function holdInHerd(sources: HerdSources, machine: Machine): ReplacementHold | undefined {
  const now = sources.clock.now();
  const herd = herdOf(sources, machine);
  if (!herd) return undefined;
  const others = herd.sets.flatMap((set) => sources.machines.by('busy', set));
  const holder = () => sources.permits.otherHolderOf(herd.id, machine, sources.clock.monotonic());
  const name = inTheWay(machine, others, now)?.metadata.name ?? holder();
  return name === undefined ? undefined : behind(name);
}
