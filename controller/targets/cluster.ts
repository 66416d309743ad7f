import type { Environment } from '../framework/environment.ts';
import { type GuardFact, nodeKeyIn, type Outgrown, type Target } from '../model/target.ts';
import type { Api, ApiError, Most } from '../runtime/client/api.ts';
import { type Connection, Exchangeable } from '../runtime/client/connection.ts';
import type { Reach } from '../runtime/health/probe.ts';
import { isUnreachable } from '../runtime/health/probestate.ts';
import type { ClusterRoom } from '../runtime/memory/cacheroom.ts';
import { feedTargetCaches, makeTargetCaches, type TargetCaches, type Whose } from './caches.ts';
import { followGuard } from './guard.ts';
import { followHeartbeats, Heartbeats } from './heartbeats.ts';

/** A client of a target's API server, and whether that answers. */
export interface Connected {
  api: Api;
  reach: Reach;
  /** The target is the control cluster itself: a missing right to list its Nodes must not hold up all Machines. */
  shared?: boolean;
}

/** Which target cluster to connect to, and how. */
export interface TargetOptions extends Whose {
  /** Absent for the default target. */
  cluster?: { namespace: string; name: string };
  connection: Connection;
  /** Makes a client, and follows whether the server answers; a target that is the control cluster too shares both. */
  connect(connection: Connection, signal: AbortSignal): Connected;
  /** The limit on the cached objects of each kind; absent for a cluster of the operator. */
  most?: Most;
  /** The account of the memory that its caches use, until it is closed; absent for a cluster of the operator. */
  room?: ClusterRoom;
  /** A Node of the target fell silent, or is heard again; the key is that of `model/target.ts`. */
  silenceChanged(nodeKey: string): void;
  signal: AbortSignal;
}

/** Kinds that are watched, by the names that messages use; Nodes first: without them nothing is done in the target. */
const KINDS: ReadonlyArray<readonly [keyof TargetCaches, string]> = [
  ['nodes', 'Nodes'],
  ['pods', 'Pods'],
  ['attachments', 'VolumeAttachments'],
  ['tokens', 'bootstrap tokens'],
];

/** A target cluster in use: its caches, heart-beats and watches, all of which end with it. */
export class TargetCluster {
  readonly target: Target;
  /** Aborts when the target is no longer used. */
  readonly signal: AbortSignal;
  /** When it was opened, on the monotonic clock. */
  readonly since: number;
  readonly #environment: Environment;
  readonly #options: TargetOptions;
  readonly #caches: TargetCaches;
  readonly #connection: Exchangeable;
  readonly #reach: Reach;
  readonly #end = new AbortController();
  readonly #guardListeners = new Set<() => void>();
  #feeding = new AbortController();
  #settled = false;
  #guard: GuardFact | undefined;

  constructor(environment: Environment, opening: TargetOptions) {
    this.#environment = environment;
    this.since = environment.clock.monotonic();
    this.#options = opening;
    this.#connection = new Exchangeable(opening.connection);
    this.#caches = makeTargetCaches(environment.log);
    const stop = () => this.close();
    opening.signal.addEventListener('abort', stop, { once: true });
    this.signal = this.#end.signal;
    this.signal.addEventListener('abort', () => opening.signal.removeEventListener('abort', stop), { once: true });
    this.signal.addEventListener('abort', () => opening.room?.close(), { once: true });
    const { api, reach, shared } = opening.connect(this.#connection, this.signal);
    this.#reach = reach;
    const { nodes, pods, attachments, budgets, tokens } = this.#caches;
    if (shared) reach.judgeBy(nodes);
    else reach.need(nodes);
    reach.judgeBy(pods, attachments);
    reach.renewsToo(budgets, tokens);
    const heartbeats = this.#heartbeats();
    const { cluster, room } = opening;
    this.target = { ...(cluster && { cluster }), ...(room && { room }), api, reach, heartbeats, ...this.#caches };
    reach.settled.then(
      () => {
        this.#settled = true;
      },
      () => {},
    );
    this.#feed();
    const account = opening.room?.account('leases');
    if (heartbeats) void followHeartbeats(heartbeats, { ...environment, api, account }, this.signal);
  }

  /** The first list of its Nodes is in, and how its server stands is known. */
  get known(): boolean {
    return this.#settled && this.#caches.nodes.synced;
  }

  /** Which of its kinds cannot be followed, because there is too much, and why; undefined as long as all can. */
  get outgrown(): Outgrown | undefined {
    for (const [kind, what] of KINDS) {
      const why = this.#caches[kind].outgrown;
      if (why !== undefined) return { what, why };
    }
    return undefined;
  }

  /** Why its Nodes were never listed, as far as that is known. */
  get unlisted(): ApiError | undefined {
    return this.#caches.nodes.sync.failure;
  }

  /** Whether an admission policy keeps this controller from Nodes that are not its own; undefined before that was found out. */
  get guard(): GuardFact | undefined {
    return this.#guard;
  }

  /** Calls the listener when {@link guard} has changed. */
  onGuard(listener: () => void): void {
    this.#guardListeners.add(listener);
  }

  /** Its API server has not answered for longer than a blip. */
  get isUnreachable(): boolean {
    const { clock, settings } = this.#environment;
    return isUnreachable(this.target.reach.fact(), clock.now(), settings.machineSafetyApiserverStatuscheckTimeout);
  }

  /** See {@link Reach.isGivenUp}. */
  get isGivenUp(): boolean {
    return this.#reach.isGivenUp;
  }

  /** Resolves once {@link known}; rejects with the reason of the signal when the target is closed before that. */
  async whenKnown(): Promise<void> {
    await Promise.all([this.#caches.nodes.whenSynced(this.signal), this.target.reach.settled]);
    this.signal.throwIfAborted();
  }

  /** Takes another way to the cluster from now on. What is known stays, and is brought up to date by new lists. */
  exchange(connection: Connection): void {
    this.#connection.exchange(connection);
    this.#feeding.abort(new DOMException('the connection is exchanged', 'AbortError'));
    this.#feed();
  }

  /** Ends all that follows the target. */
  close(): void {
    const reason = new DOMException('the target is no longer used', 'AbortError');
    this.#feeding.abort(reason);
    this.#end.abort(reason);
  }

  #feed(): void {
    this.#feeding = new AbortController();
    const { clock, random, log, metrics } = this.#environment;
    const { signal } = this.#feeding;
    const { api } = this.target;
    const { most, room } = this.#options;
    feedTargetCaches(this.#caches, this.#options, { api, clock, random, log, metrics, most, room, signal });
    this.#followGuard(signal);
  }

  #followGuard(signal: AbortSignal): void {
    const { clock, log } = this.#environment;
    const { namespace, name } = this.#options.cluster ?? {};
    const parts = { api: this.target.api, clock, log, name: name ? `${namespace}/${name}` : 'default' };
    const told = (fact: GuardFact) => {
      this.#guard = fact;
      for (const listener of this.#guardListeners) listener();
    };
    void followGuard(parts, told, signal);
  }

  #heartbeats(): Heartbeats | undefined {
    const limitMs = this.#environment.settings.nodeLeaseTimeout;
    const changed = (name: string) => this.#options.silenceChanged(nodeKeyIn(this.#options, name));
    return limitMs > 0 ? new Heartbeats({ limitMs, changed }) : undefined;
  }
}
