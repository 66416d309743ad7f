import type { MachineRequest } from '../../controller/drivers/sdk/driver.ts';
import type { Node } from '../../controller/runtime/k8s/core.ts';
import { keyOf } from '../../controller/runtime/k8s/object.ts';
import type { Pod } from '../../controller/runtime/k8s/workload.ts';
import { ANNOTATION_PAUSED } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import { isOnlyKept } from '../../schemas/rules/machine.ts';
import type { Request } from '../world/apiserver.ts';
import type { Backup, Write } from '../world/store.ts';
import { Ceilings } from './ceilings.ts';
import type { Cloud, VmEvent } from './cloud.ts';
import type { CallMethod, CallWatcher, ReportedVm } from './driver.ts';
import { Flights } from './flights.ts';
import { type Actor, type FreezeParts, Freezes } from './freezes.ts';
import { Heirs } from './heirs.ts';
import { isExtra, Overshoots } from './overshoots.ts';
import { Patience, watchPhases } from './phases.ts';
import { isOfSweep, SweepGuard } from './sweeps.ts';
import { isRobbed, isThief, theftIn } from './thieves.ts';
import { TokenGuard } from './tokens.ts';
import { LastPods, podsOn } from './workload.ts';

/** What the guard watches. */
export interface GuardParts extends FreezeParts {
  cloud: Cloud;
  /** The cloud may not show a VM yet that is there: who deletes its Machine may not hear of it. */
  lagging: boolean;
  /** VMs are marked with their machines. */
  marks: boolean;
  /** Two processes may have led at once: a lease is no fence, so VMs of the elder's last acts are an orphan sweep's work. */
  overlapped(): boolean;
}

/** Longest time that a process may not have heard of a write, milliseconds: a watch that fell silent. */
const STALE_MS = 150_000;

/** The time that a drain may take (process.ts). */
const DRAIN_MS = 1_200_000;

const MACHINES = 'machine.sapcloud.io/machines';

/** Its own clock says since when, and may be off by as long as it takes to count as lost: its pods are deleted by force. */
const isLost = ({ status }: Node): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is !== 'True') ?? false;

/** One that only somebody else's finalizer keeps has let go of its VM and its Node: it is as good as gone (hack/decisions/0051 S36). */
const isThere = (machine: Machine | undefined): machine is Machine => machine !== undefined && !isOnlyKept(machine);

/** Looks at every write, call and VM, and finds what must never be. */
export class Guard {
  /** VMs that went before they were recorded, or after they were retained: no Machine removes their Nodes. */
  readonly traceless = new Set<string>();
  /** A backup was restored. */
  isRewound = false;
  readonly #parts: GuardParts;
  readonly #ceilings: Ceilings;
  readonly #freezes: Freezes;
  readonly #overshoots: Overshoots;
  readonly #patience: Patience;
  readonly #tokens = new TokenGuard();
  readonly #lastPods: LastPods;
  readonly #heirs: Heirs;
  /** UIDs of Machines whose VM somebody has begun to delete. */
  readonly #deletionBegun = new Set<string>();
  /** UIDs of Machines of whose VMs a driver said that they are several: it cannot say which of them has gone (hack/decisions/0055). */
  readonly #several = new Set<string>();
  /** UIDs of Machines that a restored backup did not have. */
  readonly #lost = new Set<string>();
  readonly #pausedSince = new Map<string, number>();

  constructor(parts: GuardParts) {
    this.#parts = parts;
    this.#ceilings = new Ceilings({ ...parts, staleMs: STALE_MS });
    this.#freezes = new Freezes(parts);
    this.#lastPods = new LastPods(parts.target);
    this.#heirs = new Heirs(parts);
    this.#patience = new Patience(parts);
    this.#overshoots = new Overshoots({ ...parts, staleMs: STALE_MS });
    watchPhases(parts);
    parts.cloud.onEvent((event) => this.#vm(event));
    parts.control.api.store.onWrite((write) => this.#control(write));
    parts.target.api.store.onWrite((write) => this.#target(write));
  }

  /**
   * The control API server's store becomes what it was in a backup: of Machines that came since nobody knows any more, so that their VMs
   * are an orphan sweep's work, nor of VMs that were written down since, so that nobody can tell whose the Nodes of these are.
   */
  rewound(backup: Backup): void {
    const { objects } = backup;
    this.#ceilings.rewound(backup);
    this.isRewound = true;
    const then = [...(objects.get(MACHINES)?.values() ?? [])] as Machine[];
    const known = new Map(then.map((machine) => [machine.metadata.uid, machine.spec?.providerID]));
    for (const { metadata, spec } of this.#parts.control.api.store.list(MACHINES) as Machine[]) {
      if (!known.has(metadata.uid)) this.#lost.add(metadata.uid ?? '');
      if (spec?.providerID && known.get(metadata.uid) !== spec.providerID) this.traceless.add(spec.providerID);
    }
    this.#overshoots.rewound([...objects.values()].flatMap((of) => [...of.values()]));
    this.#pausedSince.clear();
    for (const machine of then) this.#notePause(machine);
  }

  /** A process sends a request. */
  sent(actor: Actor, request: Request): void {
    this.#freezes.sent(actor, request);
    this.#overshoots.sent(actor, request);
  }

  /** Watches the calls of one process. */
  watcher(actor: Actor): CallWatcher {
    const reports = new Map<string, ReportedVm>();
    const sweeps = new SweepGuard(this.#parts, actor);
    const flights = new Flights(this.#parts);
    return {
      listed: (vms) => sweeps.listed(vms),
      called: (method, request) => {
        this.#freezes.called(actor, method, request.machine);
        if (isOfSweep(request)) return method === 'deleteMachine' ? sweeps.deletes(request) : undefined;
        flights.began(method, request);
        this.#called(method, request, reports.get(request.machine.metadata.uid ?? '') ?? 'unknown');
        if (method === 'createMachine') reports.set(request.machine.metadata.uid ?? '', 'unknown');
      },
      heard: (reported, request) => {
        flights.ended(request);
        reports.set(request.machine.metadata.uid ?? '', reported);
        if (reported === 'several') this.#several.add(request.machine.metadata.uid ?? '');
      },
    };
  }

  #called(method: CallMethod, request: MachineRequest, reported: ReportedVm): void {
    const { findings, clock } = this.#parts;
    const { machine } = request;
    const fault = this.#tokens.faultOf(method, request);
    if (fault && this.#parts.joins) findings.add('each VM has a token of its own', fault);
    const theft = theftIn(method, request, this.#parts.cloud);
    if (theft && !this.#heirs.has(machine.spec?.providerID ?? '')) findings.add('no VM of others is touched', theft);
    const key = keyOf(machine);
    if (machine.metadata.annotations?.[ANNOTATION_PAUSED] !== undefined)
      findings.add('nothing happens to a paused machine', `${method} of ${key}, which was seen to be paused`);
    if (clock.now() - this.#pauseSeen(machine.metadata.uid ?? '') > STALE_MS)
      findings.add('nothing happens to a paused machine', `${method} of ${key}, which is paused`);
    if (method === 'deleteMachine' && !isThief(machine)) this.#drained({ machine });
    const isThere = this.#parts.cloud.shown().some(({ token }) => token === machine.metadata.uid);
    const stays = machine.spec?.deletionPolicy === 'Retain' && machine.spec.providerID;
    if (method === 'deleteMachine' && stays && isThere)
      findings.add('what is retained stays', `the VM of ${key} is deleted, which is to be retained`);
    if (method === 'createMachine' && reported !== 'absent')
      findings.add(
        'nothing is created on unknown',
        `createMachine of ${key}, of whose VM the driver said last: ${reported}`,
      );
  }

  /** When a pause could be seen first: not while the API server that tells it was unreachable. */
  #pauseSeen(uid: string): number {
    const { outage, past } = this.#parts.control;
    const back = outage ? Infinity : (past.at(-1)?.until ?? 0);
    return Math.max(this.#pausedSince.get(uid) ?? Infinity, back);
  }

  #vm({ type, vm }: VmEvent): void {
    const isUntold = this.#parts.lagging || this.#several.has(vm.token);
    const hasNoTrace = type === 'vanished' || (type === 'deleted' && isUntold);
    const hasMachine = this.#machineOf(vm.token)?.spec?.providerID === vm.providerID && !vm.retained;
    if (hasNoTrace && !hasMachine) this.traceless.add(vm.providerID);
    if (type !== 'made') return;
    const { cloud, findings } = this.#parts;
    const all = cloud.of(vm.token);
    if (all.length > 1) findings.add('one VM a machine', `${vm.machine} has ${all.length} VMs`);
    if (!this.#machineOf(vm.token) && !this.#lost.has(vm.token))
      this.#forgotten(`${vm.providerID} is made for ${vm.machine}, which is gone`);
  }

  /** Pods that have long been on a Node leave before its VM is deleted, unless that takes too long. */
  #drained({ machine }: Pick<MachineRequest, 'machine'>): void {
    const { control, target, findings, overlapped } = this.#parts;
    const { uid = '', deletionTimestamp = '' } = machine.metadata;
    const isFirst = !this.#deletionBegun.has(uid);
    this.#deletionBegun.add(uid);
    const node = target.api.store.list('/nodes').find((one) => isNodeOf(machine, one as Node));
    const isLate = control.ageOf(deletionTimestamp) >= DRAIN_MS;
    if (!isFirst || overlapped() || !node || isLate || isLost(node as Node)) return;
    const old = ({ metadata }: Pod) => target.ageOf(metadata.creationTimestamp) > STALE_MS;
    const left = podsOn(target, node.metadata.name).filter(old).length;
    if (left > 0) findings.add('no VM goes before its pods', `the VM of ${keyOf(machine)} goes, ${left} pods do not`);
    const lost = this.#lastPods.left(node as Node).map(({ metadata }) => metadata.name);
    if (lost.length > 0)
      findings.add('no pod is lost that was bound before the cordon', `${lost} go with the VM of ${keyOf(machine)}`);
  }

  #forgotten(says: string): void {
    const { findings, overlapped } = this.#parts;
    if (!overlapped()) findings.add('no VM is forgotten', says);
  }

  #machineOf(uid: string): Machine | undefined {
    const machines = this.#parts.control.api.store.list(MACHINES) as Machine[];
    return machines.find((one) => one.metadata.uid === uid && isThere(one));
  }

  #control(write: Write): void {
    this.#heirs.note(write);
    this.#ceilings.note(write);
    this.#overshoots.note(write);
    if (write.resource !== MACHINES) return;
    this.#patience.note(write);
    const before = write.before as Machine | undefined;
    const after = write.after as Machine | undefined;
    if (isThere(before) && !isThere(after)) this.#left(before);
    if (after && !before && !isExtra(after)) this.#ceilings.judge(after);
    if (after) this.#kept(before, after);
  }

  #left({ metadata }: Machine): void {
    const uid = metadata.uid ?? '';
    this.#pausedSince.delete(uid);
    for (const { providerID, retained, deleting } of this.#parts.cloud.of(uid))
      if (!retained && !(deleting && this.#several.has(uid)))
        this.#forgotten(`Machine ${metadata.name} is gone, its VM ${providerID} is not`);
  }

  #kept(before: Machine | undefined, after: Machine): void {
    this.#notePause(after);
    const was = before?.spec?.providerID;
    const is = after.spec?.providerID;
    if (was && was !== is)
      this.#parts.findings.add('a providerID never changes', `${keyOf(after)}: ${was}, then ${is}`);
  }

  #notePause({ metadata: { uid = '', annotations } }: Machine): void {
    if (annotations?.[ANNOTATION_PAUSED] === undefined) this.#pausedSince.delete(uid);
    else if (!this.#pausedSince.has(uid)) this.#pausedSince.set(uid, this.#parts.clock.now());
  }

  #target(write: Write): void {
    this.#lastPods.note(write);
    const { resource, before, after } = write;
    const { target, cloud, findings, overlapped } = this.#parts;
    const isInherited = this.#heirs.has((after as Node | undefined)?.spec?.providerID ?? '');
    if (resource === '/nodes' && after && isRobbed(after) && !isInherited)
      findings.add('no VM of others is touched', `${target.actor} taints Node ${after.metadata.name} for a thief`);
    if (resource !== '/nodes' || after || target.actor === 'user' || overlapped()) return;
    const providerID = (before as { spec?: { providerID?: string } }).spec?.providerID ?? '';
    if (cloud.vms.has(providerID))
      findings.add(
        'a Node outlives no VM of its machine',
        `${target.actor} deletes the Node of ${providerID}, which is there`,
      );
  }
}

const isNodeOf = ({ spec }: Machine, node: Node): boolean =>
  node.spec?.providerID !== undefined && node.spec.providerID === spec?.providerID;
