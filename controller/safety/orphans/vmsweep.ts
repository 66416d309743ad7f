import type { MachineClass } from '../../../schemas/machineclass.ts';
import type { ObjectCondition } from '../../../schemas/reported.ts';
import { type Driver, deadlines, type ListedVm } from '../../drivers/sdk/driver.ts';
import { toDriverError } from '../../drivers/sdk/errors.ts';
import { eventOf } from '../../flow/flow.ts';
import { type Expectations, mergeStatus, type Writable } from '../../framework/writer.ts';
import { foreignSecretOf, secretDataOf, secretKeysOf } from '../../model/class.ts';
import { NO_VM_EXPECTED, redated, type VmNote, vmExpectedUntil } from '../../model/expectedvm.ts';
import { inTime } from '../../runtime/clock.ts';
import type { Secret } from '../../runtime/k8s/core.ts';
import { keyOf, timestamp } from '../../runtime/k8s/object.ts';
import type { Result } from '../../runtime/queue/loop.ts';
import { jitter, type Random } from '../../runtime/random.ts';
import type { Cache } from '../../runtime/watch/cache.ts';
import {
  expectedLeft,
  isNoneLeft,
  namespaceOf,
  orphanEvents,
  planSweep,
  type SweepPlan,
  type SweepView,
  type SweptReason,
  sweptReasons,
  type VerifiedReason,
  verifiedReasons,
} from './flow/plan.ts';
import { forgetFound, showFound } from './metrics.ts';
import { type OrphanSources, observeSweep } from './observe.ts';
import { Deletions, type DeletionsParts, fieldsOf, titleOf } from './vmdeletion.ts';

/** What sweeps need. */
export interface SweeperParts extends OrphanSources, DeletionsParts {
  driver: Driver;
  classes: Cache<MachineClass>;
  classWrites: Writable<MachineClass>;
  secrets: Cache<Secret>;
  random: Random;
  /** The driver was asked about a VM of this class, and cannot tell how it stands. */
  isMute(key: string): boolean;
  /** A list shows this VM, marked as left on purpose or not. */
  retentionListed(namespace: string, vm: ListedVm): void;
  /** Time from one sweep of a class to the next, milliseconds; spread a little, so that classes do not stay together. */
  periodMs: number;
}

/** A list that failed is asked for again after this time, if that is sooner than the next sweep (hack/spec/mcm.md 8.3). */
const RETRY_MS = 600_000;

/** A class that is held for a VM that is overdue is swept again after such a part of the time for which it has been. */
const OVERDUE_PARTS = 10;

/** What is remembered of a class. It dies with the process: a new one has seen no VM before. */
interface Memory {
  /** On the monotonic clock. */
  sweptAt: number;
  sightings: SweepPlan['sightings'];
  /** Orphans that stayed because of a freeze or an outage. */
  held: number;
  /** Orphans that people were told of, by providerID. */
  told: Set<string>;
  /** VMs of other installations that have the name of a Machine here, and of which people were told. */
  namesakes: Set<string>;
}

/** Finds VMs that have no Machine among those that a driver lists class by class, and deletes them (hack/decisions/0000 7). */
export class Sweeper {
  readonly #parts: SweeperParts;
  readonly #deletions: Deletions;
  readonly #memories = new Map<string, Memory>();

  constructor(parts: SweeperParts) {
    this.#parts = parts;
    this.#deletions = new Deletions(parts);
  }

  /** Whether the class of this key is this driver's. */
  serves(key: string): boolean {
    return this.#parts.classes.get(key)?.provider === this.#parts.driver.name;
  }

  /** Milliseconds until a sweep of the class could be a second sighting: one that is enqueued sooner would prove nothing. */
  restOf(key: string): number {
    const { clock, limits } = this.#parts;
    return Math.max(0, (this.#memories.get(key)?.sweptAt ?? -Infinity) + limits.apartMs - clock.monotonic());
  }

  /** One sweep over the VMs of a class. What fails concerns this class alone. */
  async sweep(key: string): Promise<Result> {
    const machineClass = this.#parts.classes.get(key);
    if (!machineClass || !this.serves(key)) return this.#forget(key);
    // A hint that came while the last sweep was under way did not know of it.
    const restMs = this.restOf(key);
    if (restMs > 0) return { after: restMs };
    const reason = await this.#swept(machineClass);
    const { metrics, random, periodMs } = this.#parts;
    metrics.count('drover_orphan_sweeps_total', { class: key, outcome: reason });
    const expectations = await this.#show(machineClass, reason);
    if (reason === 'ListNotSupported') return { expectations };
    const { clock, limits } = this.#parts;
    const expectedMs = expectedLeft(machineClass, { now: clock.now(), graceMs: limits.graceMs });
    const after = jitter(random, reason === 'SweepSucceeded' ? periodMs : Math.min(periodMs, RETRY_MS));
    // Of one that is to go for long, and does not, the more seldom: who made it show up may own the cloud.
    return { expectations, after: Math.min(after, Math.max(limits.apartMs, expectedMs, -expectedMs / OVERDUE_PARTS)) };
  }

  /** The status is for people: a sweep does not hang on it. */
  async #show(machineClass: MachineClass, reason: SweptReason): Promise<Expectations> {
    const { clock, classWrites, log } = this.#parts;
    const reasons = { OrphanSweepSucceeded: reason, VMDeletionVerified: this.#verified(keyOf(machineClass)) };
    const conditions = conditionsWith(machineClass, reasons, timestamp(clock.now()));
    if (!conditions) return [];
    return mergeStatus(classWrites, machineClass, { conditions }).catch((error) => {
      log.info('the condition of a class was not written', { class: keyOf(machineClass), error });
      return [];
    });
  }

  /** Unimplemented is found out by asking. */
  #verified(key: string): VerifiedReason {
    const { driver, isMute } = this.#parts;
    const isAble = driver.getMachineStatus !== undefined || driver.listMachines !== undefined;
    return isAble && !isMute(key) ? 'StatusSupported' : 'StatusNotSupported';
  }

  async #swept(machineClass: MachineClass): Promise<SweptReason> {
    const { driver, secrets, clock, limits } = this.#parts;
    if (!driver.listMachines) return 'ListNotSupported';
    if (foreignSecretOf(machineClass) !== undefined) return 'RefNotPermitted';
    if (secretKeysOf(machineClass).some((key) => !secrets.get(key))) return 'SecretNotFound';
    const secret = secretDataOf(machineClass, secrets);
    const now = clock.now();
    const listed = await this.#list(machineClass, secret);
    if (!listed) return 'ListFailed';
    const { plan, shut, isBlind, steppedAt } = this.#plan(machineClass, listed);
    const expectedMs = expectedLeft(machineClass, { now, graceMs: limits.graceMs, steppedAt });
    const note =
      expectedMs <= 0 && !isBlind && isNoneLeft(plan)
        ? NO_VM_EXPECTED
        : redated(machineClass, { now, youthMs: limits.graceMs });
    if (note) await this.#expect(machineClass, note);
    this.#tell(machineClass, plan);
    this.#tellOfNamesakes(machineClass, plan);
    for (const [vm, state] of plan.states)
      if (state === 'due') void this.#deletions.delete({ vm, machineClass, driver, secret });
    if (!shut) await this.#deletions.finish({ machineClass, driver, secret }, listed);
    return 'SweepSucceeded';
  }

  /** Who holds class and Secrets for VMs of machines that have gone holds them no longer, or for as long as may be. */
  async #expect(machineClass: MachineClass, note: VmNote): Promise<void> {
    const { classWrites, log } = this.#parts;
    // Another machine may have gone since.
    await mergeStatus(classWrites, machineClass, note).catch((error) => {
      log.info('a class is still held for VMs that may appear', { class: keyOf(machineClass), error });
    });
  }

  async #list(machineClass: MachineClass, secret: Readonly<Record<string, string>>): Promise<ListedVm[] | undefined> {
    const { driver, clock, signal: parent, incarnation, log } = this.#parts;
    const timed = { clock, ms: deadlines.listMachines, parent, late: 'listMachines took too long' };
    const request = { class: machineClass, secret, incarnation };
    try {
      return await inTime(timed, (signal) => Promise.resolve(driver.listMachines?.({ ...request, signal })));
    } catch (error) {
      const { code } = toDriverError(error);
      // Such a driver finds nothing that would be waited for.
      if (code === 'Unimplemented' && vmExpectedUntil(machineClass)) await this.#expect(machineClass, NO_VM_EXPECTED);
      if (!parent.aborted) log.warn('no sweep for orphans', { class: keyOf(machineClass), code, error });
      return undefined;
    }
  }

  /** Machines are looked at after the list is in, so that each VM of it had time to be recorded. */
  #plan(machineClass: MachineClass, listed: readonly ListedVm[]): SweepView & { plan: SweepPlan } {
    const { clock, driver } = this.#parts;
    const memory = this.#memory(keyOf(machineClass));
    const view = observeSweep(this.#parts, {
      machineClass,
      now: clock.now(),
      vms: this.#deletions.inOrder(machineClass, listed),
      sightings: memory.sightings,
      isLeaving: (vm) => this.#deletions.isLeaving(driver, vm),
    });
    const plan = planSweep(view);
    for (const vm of listed) this.#parts.retentionListed(namespaceOf(vm, machineClass), vm);
    memory.sightings = plan.sightings;
    memory.sweptAt = clock.monotonic();
    return { ...view, plan };
  }

  #tell(machineClass: MachineClass, plan: SweepPlan): void {
    const { metrics, log, events } = this.#parts;
    const key = keyOf(machineClass);
    showFound(metrics, key, plan);
    const memory = this.#memory(key);
    const held = [...plan.states.values()].filter((state) => state === 'held').length;
    if (held !== memory.held) log.info('orphans that would be deleted are held', { class: key, held });
    memory.held = held;
    const { told } = memory;
    for (const id of told) if (!plan.sightings.has(id)) told.delete(id);
    for (const vm of plan.findings.filter(({ providerID }) => !told.has(providerID))) {
      told.add(vm.providerID);
      const state = plan.states.get(vm);
      log.info('an orphan stays that would be deleted', { ...fieldsOf({ vm, machineClass }), state });
      events.record(machineClass, eventOf(orphanEvents, 'OrphanedVMFound', `${titleOf(vm)} stays: ${state}`));
    }
  }

  /** Another installation's VM is never touched; one that this installation had under another id would be missed. */
  #tellOfNamesakes(machineClass: MachineClass, { states }: SweepPlan): void {
    const { machines, events } = this.#parts;
    const { namesakes } = this.#memory(keyOf(machineClass));
    const listed = new Set([...states.keys()].map(({ providerID }) => providerID));
    for (const id of namesakes) if (!listed.has(id)) namesakes.delete(id);
    for (const [{ providerID, owner }, state] of states) {
      const isNear = owner?.namespace === machineClass.metadata.namespace;
      const machine = isNear && owner ? machines.get(`${owner.namespace}/${owner.name}`) : undefined;
      if (state !== 'foreign' || !machine || namesakes.has(providerID)) continue;
      namesakes.add(providerID);
      const note = `VM ${providerID} was made for a machine of this namespace and name by installation ${owner?.installation}, and stays: if that is this one before it was moved or restored, set --installation-id to it, or, if the namespace alone was moved here, --former-installation-ids`;
      events.record(machineClass, eventOf(orphanEvents, 'VMOfAnotherInstallationFound', `${keyOf(machine)}: ${note}`));
    }
  }

  #memory(key: string): Memory {
    const known = this.#memories.get(key) ?? {
      sweptAt: -Infinity,
      held: 0,
      sightings: new Map(),
      told: new Set<string>(),
      namesakes: new Set<string>(),
    };
    this.#memories.set(key, known);
    return known;
  }

  #forget(key: string): Result {
    this.#memories.delete(key);
    this.#deletions.forget(key);
    forgetFound(this.#parts.metrics, key);
    return {};
  }
}

/** What a sweep tells of a class, by types of conditions. */
export interface ClassReasons {
  /** What came of the sweep. */
  OrphanSweepSucceeded: SweptReason;
  /** Whether the driver can say that a VM is gone. */
  VMDeletionVerified: VerifiedReason;
}

const TRUE: ReadonlySet<string> = new Set(['SweepSucceeded', 'StatusSupported']);

const says: Readonly<Record<string, string>> = { ...sweptReasons, ...verifiedReasons };

/**
 * The conditions of a class with what a sweep tells of it; undefined when that stands there already, so that sweeps
 * that go on cost no writes.
 * @param at RFC 3339
 */
export function conditionsWith(
  { status, metadata }: MachineClass,
  reasons: ClassReasons,
  at: string,
): ObjectCondition[] | undefined {
  const before = status?.conditions ?? [];
  const news = Object.entries(reasons).filter(([type, reason]) => find(before, type)?.reason !== reason);
  if (news.length === 0) return undefined;
  const told = news.map(([type, reason]): ObjectCondition => {
    const known = find(before, type);
    const is = TRUE.has(reason) ? 'True' : 'False';
    return {
      type,
      status: is,
      reason,
      message: says[reason] ?? '',
      lastTransitionTime: known?.status === is ? known.lastTransitionTime : at,
      ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
    };
  });
  return [...before.filter(({ type }) => !find(told, type)), ...told];
}

const find = (conditions: readonly ObjectCondition[], wanted: string): ObjectCondition | undefined =>
  conditions.find(({ type }) => type === wanted);
