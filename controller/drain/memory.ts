import { clusterKeyIn, nodeKeyIn } from '../clusterrefs.ts';
import type { Driver } from '../driver.ts';
import type { Clock } from '../runtime/clock.ts';
import { Deadline, unlessAborted } from '../runtime/deadline.ts';
import type { Log } from '../runtime/log.ts';
import type { Random } from '../runtime/random.ts';
import type { Target } from '../targets.ts';
import { type ClaimedVolume, ClaimedVolumes } from './claimed.ts';
import { type SeenLabels, TargetLabels } from './labels.ts';
import type { DrainCallEnd } from './metrics.ts';
import {
  type Attempt,
  type Flight,
  freshPod,
  isEviction,
  noteAsked,
  noteResult,
  type PodMemory,
  type PodResult,
} from './podmemory.ts';
import type { RulesFact } from './rules.ts';
import { Verdicts } from './verdicts.ts';
import type { DrainLimits, PodFact } from './view.ts';

/** A drain that somebody asks for. */
export interface DrainRequest {
  /** The key that is woken when something has changed. */
  key: string;
  /** UID of the Machine whose Node it is. */
  uid: string;
  nodeName: string;
  target: Target;
  /** See {@link DrainView.deadline}: wall time, unlike all else in here; Infinity until there is one. */
  deadline: number;
  /** See {@link DrainView.forced}. */
  forced: boolean;
  /** On the wall clock: what lasted before lasts only since then, when an outage ended. */
  clocksFrom?: number;
  /** When the drain began, on the wall clock: what was refused before does not count. */
  startedAt?: number;
  /** Since when pods (namespace/name) were refused before this process knew of it, on the wall clock. */
  refusedSince?: ReadonlyMap<string, number>;
  limits: DrainLimits;
  /** Which rules there are for the pods of the Node. */
  rules: RulesFact;
  /** The driver's word on which volumes are its own; absent when it has none. */
  getVolumeIDs?: Driver['getVolumeIDs'];
}

/** A volume that is followed from Node to Node. */
export type Volume = Pick<ClaimedVolume, 'name' | 'id'>;

/** Volumes on their way since their pod was asked to leave. */
export interface Handover {
  pod: Pick<PodFact, 'namespace' | 'name' | 'uid' | 'graceMs'>;
  volumes: readonly Volume[];
  since: number;
  detachedAt?: number;
}

/** What a drain knows beside what the caches show. Lost with the process: it is found out again. Moments are monotonic, but for the deadline of the request. */
export interface DrainMemory {
  request: DrainRequest;
  pods: Map<string, PodMemory>;
  handover?: Handover | undefined;
  volumesLate: boolean;
  /** Which volumes the claims of the Node's pods are. */
  claims: ClaimedVolumes;
  /** What rules say of the pods, and the labels that they select by. */
  verdicts: Verdicts;
  labels: SeenLabels;
  /** PersistentVolumes that did not come off in their time: nobody waits for them any longer. */
  late: Set<string>;
  /** Since when volumes of pods that left unseen have been waited for. */
  straysSince?: number | undefined;
  /** Calls that the API server answered. */
  answered: number;
  reportedAt: number;
  /** The API server said something new of a pod since then. */
  trouble: boolean;
  /** When the pods were last looked for in vain. */
  blindAt?: number;
  abort: AbortController;
}

/** Calls in flight for one Node, and for all Nodes of a target cluster. */
const MOST = { node: 16, all: 64 };
/** Longest time that an attempt takes. */
const FLIGHT_MS = 60_000;
/** How long a drain waits for more news of pods and volumes before it looks. */
const GATHER_MS = 100;
/** How often the status tells of the pods. */
const REPORT_MS = 5_000;
/** How often it tells of new trouble. */
const TROUBLE_MS = 1_000;

const NEVER = Number.NEGATIVE_INFINITY;

interface DrainsOptions {
  clock: Clock;
  random: Random;
  log: Log;
  wake: (key: string, afterMs: number) => void;
  /** Hears what came of each attempt to make a pod leave. */
  ended?: (end: DrainCallEnd) => void;
}

/** Drains by Machine UID, and their calls in flight: none is awaited by a worker, each wakes the key when it ends. */
export class Drains {
  readonly #memories = new Map<string, DrainMemory>();
  /** UIDs of Machines by the Nodes that they drain (clusterrefs.ts). */
  readonly #uids = new Map<string, string>();
  readonly #o: DrainsOptions;
  /** Calls in flight by target cluster: one that hangs holds up no other's. */
  readonly #flying = new Map<string, number>();
  readonly #labels: TargetLabels;

  constructor(o: DrainsOptions) {
    [this.#o, this.#labels] = [o, new TargetLabels(o)];
  }

  /** The moment, on the monotonic clock: that of all moments in here. */
  now(): number {
    return this.#o.clock.monotonic();
  }

  /** What is known of the drain; the request replaces the one before. */
  of(request: DrainRequest): DrainMemory {
    const { uid, nodeName, target } = request;
    const known = this.#memories.get(uid);
    if (known && !isAnew(known, request)) return Object.assign(known, { request });
    this.forget(uid);
    const begun = this.#begun(request);
    this.#memories.set(uid, begun);
    this.#uids.set(nodeKeyIn(target, nodeName), uid);
    return begun;
  }

  #begun(request: DrainRequest): DrainMemory {
    const { clock, random, wake } = this.#o;
    const abort = new AbortController();
    const lookups = { clock, random, signal: abort.signal, wake: () => wake(request.key, 0) };
    return {
      request,
      pods: new Map(),
      claims: new ClaimedVolumes(lookups),
      verdicts: new Verdicts(),
      labels: this.#labels.open(request, lookups.wake),
      late: new Set(),
      volumesLate: false,
      answered: 0,
      reportedAt: this.now() - TROUBLE_MS,
      trouble: false,
      abort,
    };
  }

  /** A drain that has been looked at; undefined when nobody asked for it. */
  known(uid: string): DrainMemory | undefined {
    return this.#memories.get(uid);
  }

  /** All drains that are under way. */
  all(): Iterable<DrainMemory> {
    return this.#memories.values();
  }

  /** When the drain of the Machine last knew nothing of pods; never is minus infinity. */
  blindAt(uid: string): number {
    return this.#memories.get(uid)?.blindAt ?? NEVER;
  }

  /** Ends what is in flight, and forgets: the drain is over, or its Machine is gone. */
  forget(uid: string): void {
    const memory = this.#memories.get(uid);
    if (!memory) return;
    const reason = new DOMException('the drain is over', 'AbortError');
    memory.abort.abort(reason);
    memory.labels.close();
    for (const { flight } of memory.pods.values()) flight?.abort.abort(reason);
    this.#memories.delete(uid);
    const node = nodeKeyIn(memory.request.target, memory.request.nodeName);
    if (this.#uids.get(node) === uid) this.#uids.delete(node);
  }

  /** Wakes drains when pods and attached volumes of their Nodes change, or budgets that hold them up. */
  follow(target: Pick<Target, 'cluster' | 'pods' | 'attachments' | 'budgets'>): void {
    const { pods, attachments, budgets } = target;
    const wake = (nodeName: string | undefined) => this.#wake(nodeKeyIn(target, nodeName ?? ''));
    pods.onChange(({ before, after }) => wake((after ?? before)?.spec?.nodeName));
    attachments.onChange(({ before, after }) => {
      wake((after ?? before)?.spec?.nodeName);
      for (const { handover, request } of this.#memories.values()) if (handover) this.#o.wake(request.key, GATHER_MS);
    });
    budgets.onChange(({ key }) => this.#wakeRefusedBy(target, key));
  }

  /** Wakes drains of Machines of a namespace: the rules for their pods have changed. */
  wakeNamespace(namespace: string): void {
    for (const { request } of this.#memories.values())
      if (request.key.startsWith(`${namespace}/`)) this.#o.wake(request.key, 0);
  }

  #wakeRefusedBy(target: Pick<Target, 'cluster'>, budget: string): void {
    const cluster = clusterKeyIn(target);
    for (const { pods, request } of this.#memories.values()) {
      if (clusterKeyIn(request.target) !== cluster) continue;
      if ([...pods.values()].some((pod) => pod.budget === budget)) this.#o.wake(request.key, GATHER_MS);
    }
  }

  /** How many more calls may start: one until the API server has answered, then twice as many as it has answered. */
  room({ answered, pods, request }: DrainMemory): number {
    const flying = [...pods.values()].filter(({ flight }) => flight).length;
    const isForced = this.#o.clock.now() >= request.deadline;
    // By force evictions in flight give way, and a server that did not answer those is not spared.
    const counted = isForced ? flying - [...pods.values()].filter(isEviction).length : flying;
    const ofNode = (isForced ? MOST.node : Math.min(MOST.node, Math.max(1, 2 * answered))) - counted;
    const ofAll = MOST.all - (this.#flying.get(clusterKeyIn(request.target)) ?? 0) + flying - counted;
    return Math.max(0, Math.min(ofNode, ofAll));
  }

  /** True once every few seconds: the status need not show every pod that goes. */
  reportDue(memory: DrainMemory): boolean {
    const now = this.now();
    if (now - memory.reportedAt < (memory.trouble ? TROUBLE_MS : REPORT_MS)) return false;
    memory.reportedAt = now;
    memory.trouble = false;
    return true;
  }

  /** Starts an attempt for a pod, unless one is in flight; an eviction gives way to a deletion by force. */
  start(memory: DrainMemory, attempt: Attempt): void {
    const { pod } = attempt;
    const remembered = memory.pods.get(pod.uid) ?? freshPod();
    if (remembered.flight && !(attempt.byForce && isEviction(remembered))) return;
    if (remembered.flight) this.#end(memory, remembered.flight);
    const flight: Flight = { ...attempt, remembered, abort: new AbortController() };
    remembered.flight = flight;
    memory.pods.set(pod.uid, remembered);
    noteAsked(remembered, pod, { target: memory.request.target, now: this.now() });
    this.#count(memory, 1);
    void this.#fly(memory, flight);
  }

  /** It no longer counts, and what comes of it is not heard. */
  #end(memory: DrainMemory, flight: Flight): void {
    if (flight.remembered.flight !== flight) return;
    flight.remembered.flight = undefined;
    flight.abort.abort(new DOMException('it is over', 'AbortError'));
    this.#count(memory, -1);
  }

  async #fly(memory: DrainMemory, flight: Flight): Promise<void> {
    const { pod, run, abort } = flight;
    const reason = () => new DOMException('it took too long', 'TimeoutError');
    const deadline = new Deadline({ clock: this.#o.clock, ms: FLIGHT_MS, parent: abort.signal, reason });
    try {
      const result = await unlessAborted(run(deadline.signal), deadline.signal);
      if (!abort.signal.aborted) this.#settle(memory, flight, result);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (!abort.signal.aborted) this.#settle(memory, flight, { did: 'nothing', result: 'Failed', reason });
    } finally {
      deadline.end();
      this.#end(memory, flight);
      this.#o.log.debug('drain call ended', { node: memory.request.nodeName, pod: `${pod.namespace}/${pod.name}` });
      if (!memory.abort.signal.aborted) this.#o.wake(memory.request.key, 0);
    }
  }

  #count({ request }: DrainMemory, change: 1 | -1): void {
    const cluster = clusterKeyIn(request.target);
    const flying = (this.#flying.get(cluster) ?? 0) + change;
    if (flying > 0) this.#flying.set(cluster, flying);
    else this.#flying.delete(cluster);
  }

  #settle(memory: DrainMemory, { pod, remembered, kind }: Flight, result: PodResult): void {
    const now = this.now();
    const before = remembered.answer?.reason;
    noteResult(remembered, kind, { result, now, random: this.#o.random });
    this.#o.ended?.({ key: memory.request.key, attempt: { kind, pod }, result });
    if (remembered.answer?.reason !== before) memory.trouble = true;
    if (remembered.answer?.result !== 'Failed') memory.answered++;
    if (result.did === 'nothing' || result.volumes === undefined) return;
    remembered.followed = true;
    if (result.volumes.length === 0) return;
    memory.handover = { pod, volumes: result.volumes, since: now };
  }

  #wake(node: string): void {
    const memory = this.#memories.get(this.#uids.get(node) ?? '');
    if (memory) this.#o.wake(memory.request.key, GATHER_MS);
  }
}

/** It has no deadline yet: what is known is of another drain of the same Node, for an update in place perhaps. */
const isAnew = ({ request: before }: DrainMemory, { deadline }: DrainRequest): boolean =>
  deadline === Infinity && before.deadline !== Infinity;
