import { clusterKeyIn, nodeKeyIn, type Target } from '../model/target.ts';
import { GATHER_MS } from '../runtime/queue/loop.ts';
import { ClaimedVolumes } from './claims.ts';
import { InFlightDrainCalls, type InFlightDrainCallsOptions } from './flights.ts';
import { Verdicts } from './flow/verdicts.ts';
import { TargetLabels } from './labels.ts';
import { RoomInUse } from './lookup.ts';
import type { DrainMemory, DrainRequest } from './memory.ts';
import { ListedPods } from './unseen.ts';

/** How often the status tells of the pods. */
const REPORT_MS = 5_000;
/** How often it tells of new trouble. */
const TROUBLE_MS = 1_000;

/** Drains by Machine UID: what is known of each, and what enqueues it. */
export class Drains {
  readonly #memories = new Map<string, DrainMemory>();
  /** UIDs of Machines by the Nodes that they drain (model/target.ts). */
  readonly #uids = new Map<string, string>();
  readonly #o: InFlightDrainCallsOptions;
  /** Their calls in flight. */
  readonly flights: InFlightDrainCalls;
  readonly #labels: TargetLabels;

  constructor(o: InFlightDrainCallsOptions) {
    [this.#o, this.#labels, this.flights] = [o, new TargetLabels(o), new InFlightDrainCalls(o)];
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
    const { clock, random, enqueue } = this.#o;
    const abort = new AbortController();
    const lookups = { clock, random, signal: abort.signal, enqueue: () => enqueue(request.key, 0) };
    return {
      request,
      pods: new Map(),
      refusedBy: new Set(),
      claims: new ClaimedVolumes(lookups),
      verdicts: new Verdicts(),
      labels: this.#labels.open(request, lookups.enqueue),
      listed: new ListedPods(lookups),
      late: new Set(),
      kept: new RoomInUse(request.target.room),
      volumesLate: false,
      blind: { ms: 0 },
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

  /** For how long the drain of the Machine has known nothing of pods, all in all, milliseconds. */
  blindMs(uid: string): number {
    const { since, ms } = this.#memories.get(uid)?.blind ?? { ms: 0 };
    return since === undefined ? ms : ms + this.now() - since;
  }

  /** Ends what is in flight, and forgets: the drain is over, or its Machine is gone. */
  forget(uid: string): void {
    const memory = this.#memories.get(uid);
    if (!memory) return;
    const reason = new DOMException('the drain is over', 'AbortError');
    memory.abort.abort(reason);
    memory.labels.close();
    memory.listed.drop();
    memory.kept.free();
    for (const { inFlight } of memory.pods.values()) inFlight?.abort.abort(reason);
    this.#memories.delete(uid);
    const node = nodeKeyIn(memory.request.target, memory.request.nodeName);
    if (this.#uids.get(node) === uid) this.#uids.delete(node);
  }

  /** Enqueues drains when pods and attached volumes of their Nodes change, or budgets that hold them up. */
  follow(target: Pick<Target, 'cluster' | 'pods' | 'attachments' | 'budgets'>): void {
    const { pods, attachments, budgets } = target;
    const enqueue = (nodeName: string | undefined) => this.#enqueue(nodeKeyIn(target, nodeName ?? ''));
    pods.onChange(({ before, after }) => enqueue((after ?? before)?.spec?.nodeName));
    attachments.onChange(({ before, after }) => {
      enqueue((after ?? before)?.spec?.nodeName);
      this.#enqueueWhere(target, ({ handover }) => handover !== undefined);
    });
    budgets.onChange(({ key }) => this.#enqueueWhere(target, ({ refusedBy }) => refusedBy.has(key)));
  }

  /** Enqueues the draining Machines of a namespace: the rules for their pods have changed. */
  enqueueNamespace(namespace: string): void {
    for (const { request } of this.#memories.values())
      if (request.key.startsWith(`${namespace}/`)) this.#o.enqueue(request.key, 0);
  }

  /** A cluster's owner can cause as many events as he likes: they enqueue no drain of another cluster. */
  #enqueueWhere(target: Pick<Target, 'cluster'>, concerns: (memory: DrainMemory) => boolean): void {
    const cluster = clusterKeyIn(target);
    for (const memory of this.#memories.values())
      if (concerns(memory) && clusterKeyIn(memory.request.target) === cluster)
        this.#o.enqueue(memory.request.key, GATHER_MS.drained);
  }

  /** True once every few seconds: the status need not show every pod that goes. */
  reportDue(memory: DrainMemory): boolean {
    const now = this.now();
    if (now - memory.reportedAt < (memory.trouble ? TROUBLE_MS : REPORT_MS)) return false;
    memory.reportedAt = now;
    memory.trouble = false;
    return true;
  }

  #enqueue(node: string): void {
    const memory = this.#memories.get(this.#uids.get(node) ?? '');
    if (memory) this.#o.enqueue(memory.request.key, GATHER_MS.drained);
  }
}

/** It has no deadline yet: what is known is of another drain of the same Node, for an update in place perhaps. */
const isAnew = ({ request: before }: DrainMemory, { deadline }: DrainRequest): boolean =>
  deadline === Infinity && before.deadline !== Infinity;
