import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { persistentVolumeClaims } from '../../runtime/k8s/workload.ts';
import { seededRandom } from '../../runtime/random.ts';
import { apiError, forbiddenByBudget } from '../calls.fake.ts';
import { attachment, benchDrain, boundClaim, podOn } from '../drains.fixture.ts';
import { FORCED_MS } from './plan.ts';
import { NOW } from './view.fixture.ts';

const MINUTES = 60_000;
const deadline = NOW + 10 * MINUTES;

/** What goes on in a cluster while a Node is drained; chances are from 0 to 1. */
interface Weather {
  refusals: number;
  failures: number;
  crashes: number;
}

/** A cluster of pods that end, volumes that move, budgets and errors, all by chance from one seed. */
class Cluster {
  readonly bench = benchDrain({ deadline });
  readonly broken: string[] = [];
  readonly #random;
  readonly #weather: Weather;
  #version = 1;
  #due: Array<{ at: number; run: () => void }> = [];

  constructor(seed: number, weather: Weather) {
    this.#random = seededRandom(seed);
    this.#weather = weather;
    const count = 1 + Math.floor(this.#random.next() * 30);
    for (let n = 0; n < count; n++) this.#add(`p${n}`, this.#chance(0.3));
    this.bench.server.onCall = (call) => this.#answer(call);
  }

  /** Runs until the drain has ended, or much too long; answers the moment. */
  async drain(): Promise<number> {
    const { clock, run, look, restart } = this.bench;
    while (clock.now() < deadline + 5 * MINUTES) {
      if ((await run()) === 'pass') return clock.now();
      if (look().pods.filter(({ inFlight }) => inFlight).length > 16) this.broken.push('too many calls in flight');
      if (this.#chance(this.#weather.crashes)) restart();
      await clock.advance(1_000);
      this.#happen();
    }
    return Infinity;
  }

  #add(name: string, heavy: boolean): void {
    const { target, server } = this.bench;
    target.pods.put(podOn(name, heavy ? { claim: name, priority: Math.floor(this.#random.next() * 3) } : {}));
    if (!heavy) return;
    server.put(persistentVolumeClaims, boundClaim(name));
    target.attachments.put(attachment(`pv-${name}`));
  }

  #answer(call: string): void {
    if (this.#chance(this.#weather.failures)) throw apiError(500, 'InternalError');
    const [verb, key = ''] = call.split(' ');
    if (verb === 'delete') this.#delete(key);
    if (verb === 'evict') this.#evict(key);
  }

  #evict(key: string): void {
    const pod = this.bench.target.pods.get(key);
    if (!pod) throw apiError(404, 'NotFound');
    if (pod.metadata.deletionTimestamp) this.broken.push(`second eviction of ${key}`);
    if (pod.spec?.volumes) this.#checkTurn(pod.metadata.name);
    if (this.#chance(this.#weather.refusals)) throw forbiddenByBudget;
    this.#leave(pod.metadata.name);
  }

  /** A pod with a volume leaves only when no volume of one that left is still here, whoever began (hack/decisions/0051 L3). */
  #checkTurn(name: string): void {
    const { pods, attachments } = this.bench.target;
    const left = attachments.list().filter(({ metadata }) => !pods.get(`shop/${metadata.name.slice(3, -2)}`));
    const here = left.filter(({ spec }) => spec?.nodeName === 'm');
    if (here.length > 0) this.broken.push(`${name} left before the volumes of another`);
  }

  #leave(name: string): void {
    const { target, clock } = this.bench;
    const pod = target.pods.get(`shop/${name}`) ?? podOn(name);
    const deletionTimestamp = new Date(clock.now() + 30_000).toISOString();
    target.pods.put({
      ...pod,
      metadata: { ...pod.metadata, ...this.#next(), deletionTimestamp, deletionGracePeriodSeconds: 30 },
    });
    this.#later(40_000, () => {
      target.pods.drop({ ...pod, metadata: { ...pod.metadata, ...this.#next() } });
      if (pod.spec?.volumes) this.#later(20_000, () => this.#move(`pv-${name}`));
    });
  }

  #move(volume: string): void {
    const { attachments } = this.bench.target;
    attachments.drop({ ...attachment(volume), metadata: { ...attachment(volume).metadata, ...this.#next() } });
    const elsewhere = attachment(volume, 'n');
    this.#later(20_000, () => attachments.put({ ...elsewhere, metadata: { ...elsewhere.metadata, ...this.#next() } }));
  }

  #delete(key: string): void {
    const { target, clock } = this.bench;
    if (clock.now() < deadline) this.broken.push(`deletion of ${key} before the deadline`);
    const pod = target.pods.get(key);
    if (pod) target.pods.drop({ ...pod, metadata: { ...pod.metadata, ...this.#next() } });
  }

  #later(mostMs: number, run: () => void): void {
    this.#due.push({ at: this.bench.clock.now() + this.#random.next() * mostMs, run });
  }

  #happen(): void {
    const now = this.bench.clock.now();
    const due = this.#due.filter(({ at }) => at <= now);
    this.#due = this.#due.filter(({ at }) => at > now);
    for (const { run } of due) run();
  }

  #chance = (share: number): boolean => this.#random.next() < share;
  #next = () => ({ resourceVersion: `${++this.#version}` });
}

// Many hours of drains: a machine that has other work takes its time for them.
setDefaultTimeout(60_000);

const SEEDS = Array.from({ length: 20 }, (_, seed) => seed);

describe('whatever happens, no pod is lost, and the drain ends in time', () => {
  test.each([
    ['in good weather', { refusals: 0, failures: 0, crashes: 0 }],
    ['while budgets refuse', { refusals: 0.5, failures: 0, crashes: 0 }],
    ['while the API server fails', { refusals: 0, failures: 0.5, crashes: 0 }],
    ['while the controller crashes', { refusals: 0.2, failures: 0.2, crashes: 0.1 }],
    ['while the API server does nothing at all', { refusals: 0, failures: 1, crashes: 0 }],
    ['while nothing may leave', { refusals: 1, failures: 0, crashes: 0 }],
  ])('%s', async (_what, weather) => {
    for (const seed of SEEDS) {
      const cluster = new Cluster(seed, weather);
      const ended = await cluster.drain();
      expect([seed, cluster.broken, ended <= deadline + FORCED_MS]).toEqual([seed, [], true]);
      expect(ended < deadline || weather.refusals > 0 || weather.failures > 0).toBe(true);
    }
  });
});
