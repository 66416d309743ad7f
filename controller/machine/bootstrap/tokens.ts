import type { Cluster } from '../../../schemas/cluster.ts';
import { LABEL_INCARNATION, LABEL_MACHINE_UID } from '../../../schemas/keys.ts';
import { resources } from '../../../schemas/kinds.ts';
import type { Machine } from '../../../schemas/machine.ts';
import { deleteObject, type Expectations, patchObject, unlessGone, type Writable } from '../../framework/writer.ts';
import { type Lookup, secretDataOf } from '../../model/class.ts';
import { clusterKeyOf, openTargetOf, type Target, type Targets } from '../../model/target.ts';
import { type Api, ApiError, isAlreadyExists } from '../../runtime/client/api.ts';
import { isUnjudged } from '../../runtime/client/errors.ts';
import { type Clock, wallOf } from '../../runtime/clock.ts';
import { Backoff } from '../../runtime/fairness/rate.ts';
import { type Secret, secrets } from '../../runtime/k8s/core.ts';
import { keyOf, refOf, timestamp } from '../../runtime/k8s/object.ts';
import type { Result } from '../../runtime/queue/loop.ts';
import { type Random, randomText } from '../../runtime/random.ts';
import type { Cache } from '../../runtime/watch/cache.ts';
import { droppable } from '../../runtime/watch/indexes.ts';
import type { Gates } from '../../safety/outage/gate.ts';
import { machineOf, TOKEN_NAMESPACE } from '../../targets/caches.ts';
import { gateOfMachine } from '../flow/gating.ts';
import { limitsOf, type MachineLimits } from '../flow/limits.ts';
import { joinsFrom } from '../flow/outage.ts';
import { hasJoined } from '../flow/predicates.ts';
import type { ClassFact, TokenFact, TokenFailure, VmFact } from '../flow/view.ts';
import {
  expiryOf,
  extended,
  firstOf,
  judgeToken,
  runsOut,
  TOKEN_FORM,
  type TokenLimits,
  tokenSecret,
  tokenText,
  UnseenTokens,
  wantsToken,
} from './token.ts';

/** What bootstrap tokens are made with, and for whom. */
export interface TokensOptions {
  /** Of the control cluster. */
  api: Api;
  targets: Targets;
  machines: Cache<Machine>;
  /** Of the control cluster: user data and credentials of classes. */
  secrets: Cache<Secret>;
  clock: Clock;
  /** Must be chance that nobody can guess. */
  random: Random;
  limits: MachineLimits;
  /** The longest that a token lives at a time, milliseconds. */
  maxLifeMs: number;
  /** Whether the target signs `cluster-info` with them. */
  signing: boolean;
  extraGroups: readonly string[];
  incarnation: string;
  gates: Gates;
  clusters: Lookup<Cluster>;
  /** When the Machine of this UID was made, if that was seen (updates.ts). */
  bornAt: (uid: string) => number | undefined;
  /** Whether the Machine of this UID has a VM by the driver's word, or is being made one. */
  isAwaited: (uid: string) => boolean;
}

/** What the Machine controller asks of them. */
export type MachineTokens = Pick<Tokens, 'fact' | 'make' | 'textOf' | 'forget'>;

/** How often another id is tried when one is taken. */
const TRIES = 3;

/** When the creation of a token is retried after a failure. */
const RETRY = { baseMs: 5_000, capMs: 180_000 };

/**
 * Bootstrap tokens: Secrets of the target cluster, each for one Machine (hack/spec/mcm.md 6.13, mended). Only the labels of the Secret say
 * which Machine it is for: so a token is found again after a crash at any step.
 */
export class Tokens {
  readonly #o: TokensOptions;
  /** By UID of the Machine; moments are those of the monotonic clock. */
  readonly #failures = new Map<string, TokenFailure>();
  readonly #backoff: Backoff;
  readonly #unseen = new UnseenTokens();
  readonly #listeners = new Set<(uid: string) => void>();

  constructor(options: TokensOptions) {
    this.#o = options;
    this.#backoff = new Backoff({ random: options.random, ...RETRY });
  }

  /** Whether a VM that is to be made or initialized needs a token, and has one. */
  fact(machine: Machine, found: ClassFact, vm: VmFact): TokenFact {
    const target = openTargetOf(this.#o.targets, machine);
    const done = hasJoined({ machine }) || (vm.at === 'present' ? vm.initialized : machine.spec?.providerID);
    if (!target || done || found.at !== 'ours') return 'unwanted';
    if (!wantsToken(secretDataOf(found.class, this.#o.secrets))) return 'unwanted';
    if (!target.tokens.synced) return 'unknown';
    if (this.#lasting(target, machine)) return 'present';
    const failure = this.#failures.get(machine.metadata.uid ?? '');
    const { clock } = this.#o;
    if (!failure || failure.retryAt <= clock.monotonic()) return 'missing';
    return { ...failure, retryAt: wallOf(clock, failure.retryAt) };
  }

  /** The Machine's token, `id.secret`; undefined when it has none. */
  textOf(machine: Machine): string | undefined {
    const target = openTargetOf(this.#o.targets, machine);
    const token = target && this.#tokenOf(target, machine);
    return token && tokenText(token);
  }

  /**
   * Makes a token, or lets the one that there is live on. What the API server says against it is remembered, and it is
   * tried again later.
   */
  async make(machine: Machine): Promise<Expectations> {
    const target = openTargetOf(this.#o.targets, machine);
    if (!target) return [];
    const { uid = '' } = machine.metadata;
    const expiresAt = expiryOf(this.#o.clock.now(), this.#limitsOf(machine));
    const old = this.#tokenOf(target, machine);
    try {
      const expectations = old
        ? await this.#renewed(target, machine, { old, expiresAt })
        : await this.#found(target, machine, expiresAt);
      this.#failures.delete(uid);
      this.#backoff.forget(uid);
      return expectations;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#failures.set(uid, { message: error.message, retryAt: this.#o.clock.monotonic() + this.#backoff.next(uid) });
      return [];
    }
  }

  /** A driver call for the Machine has ended: from now on its VM may be expected to join, or no longer. */
  callEnded(uid: string): void {
    for (const listener of this.#listeners) listener(uid);
  }

  /** Calls `listener` with the UID of each Machine whose token is to be looked at; the answer ends that. */
  onDue(listener: (uid: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Drops what is remembered of a Machine. */
  forget(uid: string): void {
    this.#failures.delete(uid);
    this.#backoff.forget(uid);
    this.#unseen.forget(uid);
  }

  /** One look at a token: it is kept, made to live longer, or deleted. */
  async reconcile(target: Target, key: string): Promise<Result> {
    const token = target.tokens.get(key);
    if (!token) return {};
    const { machines, clock, isAwaited } = this.#o;
    const of = machineOf(token);
    if (of.key === '' || of.uid === '') return {};
    const named = machines.get(of.key);
    const machine = named?.metadata.uid === of.uid ? named : undefined;
    const now = clock.now();
    const limits = this.#limitsOf(machine);
    const standing = { ...this.#timeOf(machine), isClusterPaused: this.#isClusterPaused(machine) };
    const verdict = judgeToken({ now, token, machine, ...standing, awaited: isAwaited(of.uid), limits });
    if (!machine && (await this.#isThere(of))) return { retry: true };
    if (verdict.do === 'delete') return { expectations: await deleteObject(on(target), token) };
    if (verdict.do === 'keep') return Number.isFinite(verdict.ms) ? { after: verdict.ms } : {};
    // Looked at again after half of its new life: a write that changes nothing causes no watch event.
    return { expectations: await renew(target, token, verdict.expiresAt), after: (verdict.expiresAt - now) / 2 };
  }

  /** The token of a Machine, unless it is about to expire: no VM gets a token that expires before it can join. */
  #lasting(target: Target, machine: Machine): Secret | undefined {
    const token = this.#tokenOf(target, machine);
    const now = this.#o.clock.now();
    const isLasting = token && !runsOut({ token, now, ...this.#timeOf(machine), limits: this.#limitsOf(machine) });
    return isLasting ? token : undefined;
  }

  /** From when the time counts in which the Machine may join. */
  #timeOf(machine: Machine | undefined): { since: number } {
    if (!machine) return { since: 0 };
    const bornAt = this.#o.bornAt(machine.metadata.uid ?? '');
    const gate = gateOfMachine(this.#o.gates, machine);
    return { since: joinsFrom({ machine, gate, ...(bornAt !== undefined && { bornAt }) }) };
  }

  #isClusterPaused(machine: Machine | undefined): boolean {
    return (machine && this.#o.clusters.get(clusterKeyOf(machine))?.spec?.paused) ?? false;
  }

  #limitsOf(machine: Machine | undefined): TokenLimits {
    const { limits, maxLifeMs: most } = this.#o;
    return { creation: machine ? limitsOf(machine, limits).creation : 0, most };
  }

  /** A cache may show a token before its Machine, which another process has just seen. */
  async #isThere({ key, uid }: { key: string; uid: string }): Promise<boolean> {
    const found = await unlessGone(this.#o.api.get(resources.machines, refOf(key)));
    return found?.metadata.uid === uid;
  }

  /** As it was last written, where the cache does not show that yet. */
  #tokenOf(target: Target, machine: Machine): Secret | undefined {
    return this.#unseen.of(target, machine) ?? firstOf(target.tokens.by('machine', machine.metadata.uid ?? ''));
  }

  /** One that is gone by now, whatever the cache shows, is believed no longer. */
  async #renewed(
    target: Target,
    machine: Machine,
    { old, expiresAt }: { old: Secret; expiresAt: number },
  ): Promise<Expectations> {
    const { uid = '' } = machine.metadata;
    const body = extended(wholeSecond(expiresAt));
    const written = await unlessGone(target.api.patch(secrets, old.metadata, { type: 'merge', body }));
    if (written) return [droppable(this.#unseen.made(target, machine, written))];
    this.#unseen.forget(uid);
    return [target.tokens.whenGone(keyOf(old), old.metadata.uid ?? '')];
  }

  /** The token that was created by an earlier request whose answer was lost, else a new one. */
  async #found(target: Target, machine: Machine, expiresAt: number): Promise<Expectations> {
    try {
      const made = this.#unseen.mayBe(machine) ? await this.#listed(target, machine) : undefined;
      const token = made ?? (await this.#create(target, machine, expiresAt));
      return [droppable(this.#unseen.made(target, machine, token))];
    } catch (error) {
      if (!(error instanceof ApiError) || isUnjudged(error)) this.#unseen.unanswered(machine);
      throw error;
    }
  }

  async #listed({ api }: Target, { metadata: { uid = '' } }: Machine): Promise<Secret | undefined> {
    const labelSelector = `${LABEL_INCARNATION}=${this.#o.incarnation},${LABEL_MACHINE_UID}=${uid}`;
    const { items } = await api.list(secrets, { namespace: TOKEN_NAMESPACE, labelSelector });
    return firstOf(items);
  }

  /** An id that is taken belongs to another token: another one is drawn. */
  async #create({ api }: Target, machine: Machine, expiresAt: number): Promise<Secret> {
    const { random, signing, extraGroups, incarnation } = this.#o;
    const expiration = wholeSecond(expiresAt);
    const { alphabet } = TOKEN_FORM;
    for (let tries = 1; ; tries++) {
      const id = randomText(random, TOKEN_FORM.id, alphabet);
      const secret = randomText(random, TOKEN_FORM.secret, alphabet);
      const token = tokenSecret(machine, { id, secret, expiration, signing, extraGroups, incarnation });
      try {
        return await api.create(secrets, token);
      } catch (error) {
        if (!isAlreadyExists(error) || tries === TRIES) throw error;
      }
    }
  }
}

/** Rounded up: a token must not expire before its Machine's creation time-out. */
const wholeSecond = (ms: number): string => timestamp(Math.ceil(ms / 1000) * 1000);

const renew = (target: Target, token: Secret, expiresAt: number): Promise<Expectations> =>
  patchObject(on(target), token, { type: 'merge', body: extended(wholeSecond(expiresAt)) });

const on = ({ api, tokens }: Target): Writable<Secret> => ({ api, resource: secrets, cache: tokens });
