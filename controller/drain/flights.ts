import { type Clock, inTime } from '../runtime/clock.ts';
import type { Log } from '../runtime/observability/log.ts';
import type { Random } from '../runtime/random.ts';
import { CallRoom } from './callroom.ts';
import { isAgain } from './flow/plan.ts';
import type { DrainView } from './flow/view.ts';
import type { DrainMemory } from './memory.ts';
import type { DrainCallEnd } from './metrics.ts';
import {
  type Attempt,
  freshPod,
  type InFlightAttempt,
  isEviction,
  noteAsked,
  noteResult,
  type PodResult,
} from './podtracker.ts';

/** Longest time that an attempt takes. */
const ATTEMPT_MS = 60_000;
/** By force nothing is evicted. */
const NONE = { first: 0, again: 0 };
/** What calls of drains are made with. */
export interface InFlightDrainCallsOptions {
  clock: Clock;
  random: Random;
  log: Log;
  enqueue: (key: string, afterMs: number) => void;
  /** Hears what came of each attempt to make a pod leave. */
  ended?: (end: DrainCallEnd) => void;
}

/** Calls of drains that are in flight: none is awaited by a worker, each enqueues the key of its Machine when it ends. */
export class InFlightDrainCalls {
  readonly #o: InFlightDrainCallsOptions;
  readonly #room: CallRoom;

  constructor(o: InFlightDrainCallsOptions) {
    this.#o = o;
    this.#room = new CallRoom((key) => o.enqueue(key, 0));
  }

  /**
   * How many more calls may start: one until the API server has answered, then twice as many as it has answered. After the deadline there
   * is no such limit.
   */
  room({ answered, pods, request }: DrainMemory): DrainView['room'] {
    const isForced = this.#o.clock.now() >= request.deadline;
    const most = isForced ? Infinity : Math.max(1, 2 * answered);
    const failed = [...pods.values()].some(({ answer }) => answer?.result === 'Failed');
    const left = (kind: Attempt['kind']) => this.#room.left(kind, request, { most, failed });
    return { eviction: isForced ? NONE : left('eviction'), deletion: left('deletion') };
  }

  /** Starts an attempt for a pod, unless one is in flight; an eviction gives way to a deletion by force. */
  start(memory: DrainMemory, attempt: Attempt): void {
    const { pod } = attempt;
    const podMemory = memory.pods.get(pod.uid) ?? freshPod();
    if (podMemory.inFlight && !(attempt.byForce && isEviction(podMemory))) return;
    if (podMemory.inFlight) this.#end(memory, podMemory.inFlight);
    const call: InFlightAttempt = { ...attempt, podMemory, abort: new AbortController() };
    podMemory.inFlight = call;
    memory.pods.set(pod.uid, podMemory);
    noteAsked(podMemory, pod, { target: memory.request.target, now: this.#o.clock.monotonic() });
    this.#count(memory, call, 1);
    void this.#run(memory, call);
  }

  /** It no longer counts, and what comes of it is not heard. */
  #end(memory: DrainMemory, call: InFlightAttempt): void {
    if (call.podMemory.inFlight !== call) return;
    call.podMemory.inFlight = undefined;
    call.abort.abort(new DOMException('it is over', 'AbortError'));
    this.#count(memory, call, -1);
  }

  async #run(memory: DrainMemory, call: InFlightAttempt): Promise<void> {
    const { pod, run, abort } = call;
    const timed = { clock: this.#o.clock, ms: ATTEMPT_MS, parent: abort.signal, late: 'it took too long' };
    try {
      const result = await inTime(timed, run);
      if (!abort.signal.aborted) this.#settle(memory, call, result);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (!abort.signal.aborted) this.#settle(memory, call, { did: 'nothing', result: 'Failed', reason });
    } finally {
      this.#end(memory, call);
      this.#o.log.debug('drain call ended', { node: memory.request.nodeName, pod: `${pod.namespace}/${pod.name}` });
      if (!memory.abort.signal.aborted) this.#o.enqueue(memory.request.key, 0);
    }
  }

  #count({ request }: DrainMemory, { kind, pod }: InFlightAttempt, change: 1 | -1): void {
    this.#room.count(kind, request, { isAgain: isAgain(kind, pod), change });
  }

  #settle(memory: DrainMemory, { pod, podMemory, kind }: InFlightAttempt, result: PodResult): void {
    const now = this.#o.clock.monotonic();
    const before = podMemory.answer?.reason;
    noteResult(podMemory, kind, { result, now, random: this.#o.random });
    this.#o.ended?.({ key: memory.request.key, attempt: { kind, pod }, result });
    if (podMemory.answer?.reason !== before) memory.trouble = true;
    if (podMemory.answer?.result !== 'Failed') memory.answered++;
    if (result.did === 'nothing' || result.volumes === undefined) return;
    podMemory.followed = true;
    if (result.volumes.length === 0) return;
    memory.handover = { pod, volumes: result.volumes, since: now };
  }
}
