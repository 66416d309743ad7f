import { FakeClock } from '../runtime/clock.fake.ts';
import { FakeLog } from '../runtime/observability/log.fake.ts';
import { apiError } from './calls.fake.ts';
import { benchDrain, podOn } from './drains.fixture.ts';
import { applyDrain } from './evictions.ts';
import { planDrain } from './flow/plan.ts';
import { NOW } from './flow/view.fixture.ts';
import type { DrainRequest } from './memory.ts';
import { observeDrain } from './observe.ts';
import { Drains } from './tracker.ts';

/** When an API server gives a webhook up. */
const WEBHOOK_MS = 10_000;
/** Pods go as soon after they were asked. */
const GONE_MS = 1_000;
const STEP_MS = 250;

/**
 * The drains of some Nodes of one target, each looked at as the loop does: when it is enqueued, and when its wait is over. Calls that
 * begin with `hanging` hang for pods of the namespace `hooked`.
 */
export class Fleet {
  readonly #bench = benchDrain();
  readonly #clock = new FakeClock(NOW);
  readonly #due = new Map<string, number>();
  readonly #drains: Drains;
  readonly #requests = new Map<string, DrainRequest>();
  readonly #hanging: 'evict' | 'delete';

  constructor(hanging: 'evict' | 'delete') {
    this.#hanging = hanging;
    const enqueue = (key: string, after: number) => this.#enqueue(key, after);
    this.#drains = new Drains({ clock: this.#clock, random: { next: () => 0.5 }, log: new FakeLog(), enqueue });
    this.#drains.follow(this.#bench.target);
    this.#bench.server.onCall = (call) => this.#answer(call);
  }

  /** Begins to drain a Node. */
  begin(nodeName: string, timeoutMs = 7_200_000): void {
    const deadline = this.#clock.now() + timeoutMs;
    this.#requests.set(nodeName, { ...this.#bench.request, key: nodeName, uid: `uid-${nodeName}`, nodeName, deadline });
    this.#enqueue(nodeName, 0);
  }

  /** Puts so many pods of a namespace on a Node. */
  put(nodeName: string, namespace: string, count: number): void {
    for (let n = 0; n < count; n++) {
      const { metadata, spec } = podOn(`${nodeName}-${n}`);
      this.#bench.target.pods.put({
        metadata: { ...metadata, namespace, uid: `${namespace}-${metadata.name}` },
        spec: { ...spec, nodeName },
      });
    }
  }

  /** Lets time pass. */
  async run(ms: number): Promise<void> {
    const end = this.#clock.now() + ms;
    while (this.#clock.now() < end) {
      const ready = [...this.#due].filter(([, at]) => at <= this.#clock.now()).map(([key]) => key);
      for (const key of ready) this.#due.delete(key);
      for (const key of ready) this.#look(key);
      await this.#clock.advance(ready.length > 0 ? 0 : STEP_MS);
    }
  }

  /** How many pods the Node has. */
  left(nodeName: string): number {
    return this.#bench.target.pods.by('node', nodeName).length;
  }

  /** Whether the drain of the Node says that it is over. */
  isOver(nodeName: string): boolean {
    return this.#plan(nodeName)?.kind === 'pass';
  }

  /** How many calls were sent that begin so. */
  sent(what: string): number {
    return this.#bench.server.calls.filter((call) => call.startsWith(what)).length;
  }

  #enqueue(key: string, after: number): void {
    this.#due.set(key, Math.min(this.#due.get(key) ?? Infinity, this.#clock.now() + after));
  }

  #plan(key: string) {
    const request = this.#requests.get(key);
    return request && planDrain(observeDrain({ drains: this.#drains, clock: this.#clock }, request));
  }

  #look(key: string): void {
    let outcome = this.#plan(key);
    for (; outcome?.kind === 'act'; outcome = this.#plan(key)) applyDrain(this.#drains, `uid-${key}`, outcome.action);
    if (outcome?.kind === 'wait') this.#enqueue(key, Math.max(1, outcome.ms));
  }

  async #answer(call: string): Promise<void> {
    const [, pod = ''] = call.split(' ');
    if (!pod.startsWith('hooked/') || !call.startsWith(this.#hanging))
      return void this.#clock.after(GONE_MS, () => this.#drop(pod));
    await this.#clock.sleep(WEBHOOK_MS);
    throw apiError(500, 'InternalError');
  }

  #drop(pod: string): void {
    const { pods } = this.#bench.target;
    const there = pods.get(pod);
    if (there) pods.drop({ ...there, metadata: { ...there.metadata, resourceVersion: '9' } });
  }
}
