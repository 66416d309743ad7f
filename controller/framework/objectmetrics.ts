import { type KubeObject, keyOf } from '../runtime/k8s/object.ts';
import type { Labels, Metrics } from '../runtime/observability/metrics.ts';

/** One value of a gauge. */
export interface Sample {
  name: string;
  value: number;
  labels: Labels;
}

/**
 * Gauges that show objects one by one. Each showing touches only what changed since the last one: most objects of a large
 * herd have not, and a scrape must not hold up the loops. Objects are told apart by identity, so nobody may change one.
 */
export class Series<T extends KubeObject> {
  readonly #samplesOf: (object: T) => readonly Sample[];
  readonly #shown = new Map<string, T>();

  constructor(samplesOf: (object: T) => readonly Sample[]) {
    this.#samplesOf = samplesOf;
  }

  /** Makes the gauges show exactly these objects. */
  show(metrics: Metrics, objects: readonly T[]): void {
    const gone = new Set(this.#shown.keys());
    for (const object of objects) {
      const key = keyOf(object);
      gone.delete(key);
      if (this.#shown.get(key) === object) continue;
      this.#hide(metrics, key);
      for (const { name, value, labels } of this.#samples(object)) metrics.set(name, value, labels);
      this.#shown.set(key, object);
    }
    for (const key of gone) this.#hide(metrics, key);
  }

  #hide(metrics: Metrics, key: string): void {
    const old = this.#shown.get(key);
    for (const { name, labels } of old ? this.#samples(old) : []) metrics.remove(name, labels);
    this.#shown.delete(key);
  }

  /** An object that nobody can read, as one without a spec, is not shown, and keeps none of the others from that. */
  #samples(object: T): readonly Sample[] {
    try {
      return this.#samplesOf(object);
    } catch {
      return [];
    }
  }
}

/** Reads a kind's objects into its gauges at each scrape until the signal aborts; what fails is counted. */
export function collectOnScrape(
  { metrics, signal }: { metrics: Metrics; signal: AbortSignal },
  kind: keyof typeof BINARIES,
  collect: (metrics: Metrics) => void,
): void {
  const stop = metrics.onScrape(() => {
    try {
      collect(metrics);
    } catch {
      metrics.count('mcm_misc_scrape_failure_total', { kind, binary: BINARIES[kind] });
    }
  });
  signal.addEventListener('abort', stop, { once: true });
}

/** The programs of MCM that have the metrics of each kind. */
export const BINARIES = {
  machine: 'machine-controller-manager-provider',
  machineset: 'machine-controller-manager',
  machinedeployment: 'machine-controller-manager',
} as const;
