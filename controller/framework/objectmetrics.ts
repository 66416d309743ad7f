import { type KubeObject, keyOf, type Meta } from '../runtime/k8s/object.ts';
import type { Labels, Metrics } from '../runtime/observability/metrics.ts';

/** One value of a gauge. */
export interface Sample {
  name: string;
  value: number;
  labels: Labels;
}

/**
 * Gauges with a series for each object. Each update touches only the objects that changed since the last one: of many objects most have
 * not, and a scrape must not hold up the loops. A changed object is another JavaScript object: so none may be changed in place.
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

/** Labels and values that the metrics of several kinds share (hack/spec/mcm.md 10.2). */

/** Labels that name an object. */
export const own = ['name', 'namespace'] as const;

/** Labels of a machine whose last operation failed, in its owner's status. */
export const failedMachine = [
  ...own,
  'failed_machine_name',
  'failed_machine_provider_id',
  'failed_machine_owner_ref',
  'failed_machine_last_operation_state',
  'failed_machine_last_operation_machine_operation_type',
] as const;

type Conditions = ReadonlyArray<{ type: string; status: string }>;

interface Failed {
  name?: string | undefined;
  providerID?: string | undefined;
  ownerRef?: string | undefined;
  lastOperation?: { state?: string | undefined; type?: string | undefined } | undefined | null;
}

/** Which object it is. */
export const ownLabels = ({ name, namespace = '' }: Meta) => ({ name, namespace });

/** When the object was made, in seconds since the epoch. */
export const createdAt = ({ creationTimestamp }: Meta): string => String(Date.parse(creationTimestamp ?? '') / 1000);

/** What a condition is worth: True 1, False 0, anything else 2. */
export const conditionValue = ({ status }: { status: string }): number => {
  if (status === 'True') return 1;
  return status === 'False' ? 0 : 2;
};

/** The conditions of an object. */
export const conditionSamples = (name: string, owner: Meta, conditions: Conditions = []): Sample[] =>
  conditions.map((condition) => ({
    name,
    value: conditionValue(condition),
    labels: { ...ownLabels(owner), condition: condition.type },
  }));

/** Which machines of an owner have failed at what. */
export const failedSamples = (name: string, owner: Meta, failed: readonly Failed[] = []): Sample[] =>
  failed.map((one) => ({ name, value: 1, labels: failedLabels(owner, one) }));

const failedLabels = (owner: Meta, { name, providerID, ownerRef, lastOperation }: Failed) => ({
  ...ownLabels(owner),
  failed_machine_name: name ?? '',
  failed_machine_provider_id: providerID ?? '',
  failed_machine_owner_ref: ownerRef ?? '',
  failed_machine_last_operation_state: lastOperation?.state ?? '',
  failed_machine_last_operation_machine_operation_type: lastOperation?.type ?? '',
});
