import type { Machine } from '../../schemas/machine.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { mergePatch } from '../../schemas/same.ts';
import { type Decision, eventOf, type Note } from '../flow/flow.ts';
import {
  RefusedChildren,
  Repeats,
  refusalOf,
  SomeRefused,
  type Streak,
  type ToldRefusal,
  toldRefusal,
} from '../flow/refusals.ts';
import type { DecisionLog } from '../framework/decisionlog.ts';
import { type Acting, follow, type Kind, reconcile, requeue, waitOf } from '../framework/reconcile.ts';
import { type Expectations, mergeStatus, unlessGone } from '../framework/writer.ts';
import { siblingsIn } from '../model/ownership.ts';
import { isConflict, isJudged, isRefused } from '../runtime/client/errors.ts';
import { isRefusal } from '../runtime/client/streak.ts';
import type { Clock } from '../runtime/clock.ts';
import { keyOf, timestamp } from '../runtime/k8s/object.ts';
import type { Result } from '../runtime/queue/loop.ts';
import type { Births } from '../state/births.ts';
import { apply, listedOf, type MachineSetEffects, misses, NameTaken, rememberReleases } from './actions.ts';
import { failureOf, heldOf, isOver, refusedOf } from './failures.ts';
import { backOffOf } from './flow/backoff.ts';
import { BLIND_MS, plan } from './flow/flow.ts';
import { thawsIn } from './flow/overshoot.ts';
import { nextExpiry } from './flow/preservation.ts';
import { events, reasons } from './flow/reasons.ts';
import { releasesIn } from './flow/releases.ts';
import { unaskedChoice } from './flow/scaledown.ts';
import { nextAvailable, type ReplicaFailure, statusOf } from './flow/status.ts';
import { membershipOf } from './flow/template.ts';
import type { MachineSetAction, MachineSetView } from './flow/view.ts';
import { type MachineSetSources, observe } from './observe.ts';

/** All that the MachineSet controller reads and writes with. */
export interface MachineSetParts extends MachineSetSources, MachineSetEffects {
  clock: Clock;
  decisionLog: DecisionLog;
  births: Births;
}

/** After these actions machines are no longer the set's. */
const LOSING: ReadonlySet<MachineSetAction['do']> = new Set(['delete', 'release']);

/** What a process remembers of a set: nothing that another one would have to know. */
interface Memory {
  salt: number;
  /** Names of Machines that were made, or may have been, and that the cache has not shown yet. */
  unseen: Set<string>;
  /** By reason, the last one last: one that is refused stays refused although something else fails as well. */
  failures: Map<ReplicaFailure['reason'], ReplicaFailure>;
  /** Why its machines may not be taken away. */
  held?: ReplicaFailure | undefined;
  /** How often in a row it could not tell how it stands before machines go, because somebody changed it. */
  conflicts?: Streak | undefined;
}

const newMemory = (): Memory => ({ salt: 0, unseen: new Set(), failures: new Map() });

type Decided = Decision<MachineSetAction>;

/** Reconciles MachineSets. */
export class MachineSetController {
  readonly #parts: MachineSetParts;
  readonly #memories = new Map<string, Memory>();
  readonly #repeats = new Repeats();
  readonly #refusals = new RefusedChildren();

  constructor(parts: MachineSetParts) {
    this.#parts = parts;
  }

  /** One pass over a MachineSet: observe, plan, write the status, act. */
  reconcile(key: string): Promise<Result> {
    return reconcile(this.#kind, key);
  }

  /** How MachineSets are reconciled. */
  get #kind(): Kind<MachineSetView, Decided> {
    return {
      reasons,
      decisionLog: this.#parts.decisionLog,
      observe: (key) => this.#observe(key),
      forget: (key) => this.#forget(key),
      objectKey: ({ set }) => keyOf(set),
      plan,
      first: (view, decision) => this.#choose(view, decision),
      act: (view, decision, notes) => this.#begin(view, decision, notes),
      rest: (view, decision, news) => this.#tell(view, decision, news),
    };
  }

  #observe(key: string): MachineSetView | undefined {
    const { salt = 0 } = this.#memories.get(key) ?? {};
    return observe(this.#parts, key, { salt, refused: this.#refusals.at(key, this.#parts.clock.monotonic()) });
  }

  #forget(key: string): void {
    this.#memories.delete(key);
    this.#repeats.end(key);
    this.#refusals.forget(key);
  }

  #memoryOf({ set }: MachineSetView): Memory {
    const memory = this.#memories.get(keyOf(set)) ?? newMemory();
    this.#memories.set(keyOf(set), memory);
    return memory;
  }

  /** Which machines go is decided by what the API server itself says of them. */
  #choose(view: MachineSetView, decision: Decided): Promise<Result> | undefined {
    const choice = unaskedChoice(view, decision);
    return choice && this.#ask(view, choice);
  }

  async #ask(view: MachineSetView, choice: MachineSetAction): Promise<Result> {
    const asked = await this.#asked(view, choice, this.#memoryOf(view));
    // In the time that this took, somebody may have scaled it again.
    const isSame = this.#parts.sets.get(keyOf(view.set)) === view.set;
    return isSame ? follow(this.#kind, asked, plan(asked)) : { after: 0 };
  }

  async #begin(view: MachineSetView, { outcome }: Acting<Decided>, notes: readonly Note[]): Promise<Result> {
    const memory = this.#memoryOf(view);
    memory.held = undefined;
    const pauseMs = this.#repeats.waitMs(keyOf(view.set), outcome.action, this.#parts.clock.monotonic());
    if (pauseMs > 0) return { after: pauseMs };
    const done = await this.#carryOut(view, outcome.action, memory);
    for (const note of done ? notes : []) this.#parts.events.record(view.set, note);
    return done ?? { after: BLIND_MS };
  }

  async #tell(view: MachineSetView, decision: Decided, news: readonly Note[]): Promise<Result> {
    const key = keyOf(view.set);
    const memory = this.#memoryOf(view);
    memory.held = heldOf(decision);
    this.#repeats.end(key);
    for (const [reason, failure] of memory.failures)
      if (isOver(failure, view, decision)) memory.failures.delete(reason);
    const expectations = await this.#writeStatus(view, memory);
    for (const note of news) this.#parts.events.record(view.set, note);
    const againMs = this.#refusals.endsIn(key, this.#parts.clock.monotonic());
    const dues = [nextAvailable(view), nextExpiry(view), thawsIn(view), releasesIn(view), againMs];
    return requeue(expectations, ...dues, waitOf(decision));
  }

  /** The view with what the API server says of the machines. As long as it says nothing none goes, and the status tells that. */
  async #asked(view: MachineSetView, action: MachineSetAction, memory: Memory): Promise<MachineSetView> {
    try {
      return { ...view, listed: await listedOf(this.#parts, view.set) };
    } catch (error) {
      await this.#failed(view, action, { memory, error }).catch(() => {});
      throw error;
    }
  }

  /**
   * From the decision until the cache shows it, a new machine counts against the limit that all sets share; undefined when the number of
   * missing machines is unknown.
   */
  async #carryOut(view: MachineSetView, action: MachineSetAction, memory: Memory): Promise<Result | undefined> {
    const { births } = this.#parts;
    if (action.do === 'create') births.begin(view.set, action.names);
    try {
      return (await this.#isBlind(view, action)) ? undefined : await this.#act(view, action, memory);
    } finally {
      births.end(view.set);
    }
  }

  /**
   * Until the cache shows the machines that were created last, the number of missing ones is unknown: a create may have lost its answer.
   * Machines that other sets of the deployment created count as well, for they share its maxSurge.
   */
  async #isBlind({ set }: MachineSetView, action: MachineSetAction): Promise<boolean> {
    if (action.do !== 'create') return false;
    for (const sibling of siblingsIn(this.#parts.sets, set))
      if (sibling.metadata.uid !== set.metadata.uid && (await this.#misses(sibling))) return true;
    return this.#misses(set);
  }

  /** Whether machines are there that the set made and the cache does not show. */
  async #misses(set: MachineSet): Promise<boolean> {
    const { unseen } = this.#memories.get(keyOf(set)) ?? {};
    return unseen !== undefined && misses(this.#parts, set, unseen);
  }

  /** The status follows when there is nothing more to do: an action is looked at again at once. */
  async #act(view: MachineSetView, action: MachineSetAction, memory: Memory): Promise<Result> {
    if (action.do === 'create') for (const name of action.names) memory.unseen.add(name);
    try {
      const told = LOSING.has(action.do) ? await this.#remember(losing(view, action), memory) : [];
      memory.conflicts = undefined;
      const expectations = await apply(this.#parts, view, action);
      // That more machines are deleted says nothing of those that may not be.
      if (action.do === 'create') memory.failures.delete('FailedCreate');
      return { after: 0, expectations: [...told, ...expectations] };
    } catch (error) {
      if (action.do === 'delete' && this.#mayBeChance(memory, error)) throw error;
      if (action.do === 'create') this.#forgetUnmade(view, action.names, memory);
      if (error instanceof NameTaken) memory.salt += 1;
      this.#refused(view, action, error);
      if (error instanceof SomeRefused) await this.#recount(view, action, error);
      // Why it failed is what is thrown; a status that could not be written is written by a later pass.
      await this.#failed(view, action, { memory, error }).catch(() => {});
      throw error;
    }
  }

  /** That its deployment scales a set meanwhile is no deletion that failed (hack/decisions/0051 S47); a conflict that never ends is a no. */
  #mayBeChance(memory: Memory, error: unknown): boolean {
    if (!isConflict(error)) return false;
    const now = this.#parts.clock.monotonic();
    const before = memory.conflicts ?? { count: 0, since: now };
    memory.conflicts = { count: before.count + 1, since: before.since };
    return !isRefusal(error, before, now);
  }

  /** What was refused, or not asked for, is not there. */
  #forgetUnmade({ set }: MachineSetView, names: readonly string[], { unseen }: Memory): void {
    for (const name of names) if (!this.#parts.births.mayExist(set, name)) unseen.delete(name);
  }

  /** Failures are recorded before machines are deleted, and which machines there were: afterwards this could no longer be found out. */
  async #remember(view: MachineSetView, memory: Memory): Promise<Expectations> {
    const { creationBackOff, membership } = view.set.status ?? {};
    const isSame = Bun.deepEquals(backOffOf(view), creationBackOff ?? undefined) && membershipOf(view) === membership;
    return isSame && !view.releasing?.length ? [] : this.#writeStatus(view, memory);
  }

  /** What was not done after all is no longer counted; a request without an answer may have been done. */
  async #recount(view: MachineSetView, action: MachineSetAction, { failures }: SomeRefused<Machine>): Promise<void> {
    const kept = new Set(failures.filter(({ error }) => isRefused(error)).map(({ item }) => item));
    if (action.do !== 'release' || kept.size === 0) return;
    const releasing = action.machines.filter((machine) => !kept.has(machine));
    await rememberReleases(this.#parts, { ...view, releasing });
  }

  /** One that may not be deleted is told for as long as it should go, whatever else was refused until it is tried again. */
  #refused({ set }: MachineSetView, action: MachineSetAction, error: unknown): void {
    const now = this.#parts.clock.monotonic();
    this.#refusals.dropOld(keyOf(set), now);
    for (const { item, error: why } of refusedOf(set, action, error)) {
      const refused = refusalOf(action.do, item);
      const isTold = !failureOf[action.do] && isRefusal(why, this.#refusals.streakOf(keyOf(set), refused, now), now);
      const told = isTold ? toldRefusal(action.do, { owner: set, item, error: why }) : undefined;
      this.#refusals.add(keyOf(set), refused, { isJudged: isJudged(why), told, now });
    }
  }

  async #failed(view: MachineSetView, action: MachineSetAction, at: { memory: Memory; error: unknown }): Promise<void> {
    const reason = failureOf[action.do];
    const message = at.error instanceof Error ? at.error.message : String(at.error);
    if (reason) {
      at.memory.failures.delete(reason);
      at.memory.failures.set(reason, { reason, message });
    }
    const told = reason ?? this.#refusal(view)?.reason;
    if (!told) return;
    this.#parts.events.record(view.set, eventOf(events, told, message));
    const current = LOSING.has(action.do) ? await this.#renewed(view) : view;
    if (current) await this.#writeStatus(current, at.memory);
  }

  /** The view on the set as this pass has left it, which wrote its status before; undefined once it is another one than was seen. */
  async #renewed(view: MachineSetView): Promise<MachineSetView | undefined> {
    const { api, resource } = this.#parts.setWrites;
    const { uid, generation } = view.set.metadata;
    const set = await unlessGone(api.get(resource, view.set.metadata));
    return set && set.metadata.uid === uid && set.metadata.generation === generation ? { ...view, set } : undefined;
  }

  #refusal({ set }: MachineSetView): ToldRefusal | undefined {
    return this.#refusals.toldAt(keyOf(set), this.#parts.clock.monotonic())[0];
  }

  async #writeStatus(view: MachineSetView, memory: Memory): Promise<Expectations> {
    if (view.gate.shut?.unreachable === 'control') return [];
    const failure = [...memory.failures.values()].at(-1) ?? memory.held ?? this.#refusal(view);
    const status = statusOf(view, failure, timestamp(view.now));
    const change = mergePatch(view.set.status ?? {}, status);
    return change ? mergeStatus(this.#parts.setWrites, view.set, change) : [];
  }
}

/** The view as the status is to tell it before machines are let go: how many these are is counted. */
const losing = (view: MachineSetView, action: MachineSetAction): MachineSetView =>
  action.do === 'release' ? { ...view, releasing: action.machines } : view;
