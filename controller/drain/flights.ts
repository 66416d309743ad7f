import { type Clock, Deadline, unlessAborted } from '../runtime/clock.ts';
import type { Log } from '../runtime/observability/log.ts';
import type { Random } from '../runtime/random.ts';
import { CallRoom } from './callroom.ts';
import { isAgain } from './flow/plan.ts';
import type { DrainView } from './flow/view.ts';
import type { DrainMemory } from './memory.ts';
import type { DrainCallEnd } from './metrics.ts';
import {
  type Attempt,
  type Flight,
  freshPod,
  isEviction,
  noteAsked,
  noteResult,
  type PodResult,
} from './podtracker.ts';

/** Longest time that an attempt takes. */
const FLIGHT_MS = 60_000;
/** By force nothing is evicted. */
const NONE = { first: 0, again: 0 };
/** What calls of drains are made with. */
export interface FlightsOptions {
  clock: Clock;
  random: Random;
  log: Log;
  wake: (key: string, afterMs: number) => void;
  /** Hears what came of each attempt to make a pod leave. */
  ended?: (end: DrainCallEnd) => void;
}

/** Calls of drains that are in flight: none is awaited by a worker, each wakes the key of its Machine when it ends. */
export class Flights {
  readonly #o: FlightsOptions;
  readonly #room: CallRoom;

  constructor(o: FlightsOptions) {
    this.#o = o;
    this.#room = new CallRoom((key) => o.wake(key, 0));
  }

  /** How many more calls may start: one until the API server has answered, then twice as many as it has answered. By force nobody is spared. */
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
    const remembered = memory.pods.get(pod.uid) ?? freshPod();
    if (remembered.flight && !(attempt.byForce && isEviction(remembered))) return;
    if (remembered.flight) this.#end(memory, remembered.flight);
    const flight: Flight = { ...attempt, remembered, abort: new AbortController() };
    remembered.flight = flight;
    memory.pods.set(pod.uid, remembered);
    noteAsked(remembered, pod, { target: memory.request.target, now: this.#o.clock.monotonic() });
    this.#count(memory, flight, 1);
    void this.#fly(memory, flight);
  }

  /** It no longer counts, and what comes of it is not heard. */
  #end(memory: DrainMemory, flight: Flight): void {
    if (flight.remembered.flight !== flight) return;
    flight.remembered.flight = undefined;
    flight.abort.abort(new DOMException('it is over', 'AbortError'));
    this.#count(memory, flight, -1);
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

  #count({ request }: DrainMemory, { kind, pod }: Flight, change: 1 | -1): void {
    this.#room.count(kind, request, { isAgain: isAgain(kind, pod), change });
  }

  #settle(memory: DrainMemory, { pod, remembered, kind }: Flight, result: PodResult): void {
    const now = this.#o.clock.monotonic();
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
}
