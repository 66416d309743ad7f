import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { beginning } from '../cuttext.ts';

/** What a metric is. Names, labels and types are an interface: alerts and dashboards are checked against the tables. */
export interface MetricRow {
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  labels: readonly string[];
  /** Upper bounds of a histogram's buckets, ascending; prom-client's (5 ms to 10 s) when absent. */
  buckets?: readonly number[];
}

/** The metrics of one module by name. */
export type MetricTable = Readonly<Record<string, MetricRow>>;

/** Values of all labels of a metric, of which 1,024 characters count; that they are few is the caller's business. */
export type Labels = Readonly<Record<string, string>>;

/**
 * Counts and measures what tables declare. Nothing here throws: an unknown metric, a wrong label set or a value that is
 * no number is counted in `drover_metrics_errors_total` and otherwise ignored.
 */
export interface Metrics {
  /** Adds `by` (1, never negative) to a counter. */
  count(name: string, labels?: Labels, by?: number): void;
  /** Sets a gauge. */
  set(name: string, value: number, labels?: Labels): void;
  /** Puts a value into a histogram. */
  observe(name: string, value: number, labels?: Labels): void;
  /** Drops all series of a metric, so that those of objects that are gone do not stay. */
  reset(name: string): void;
  /** Drops one series; one that is not there is no error. */
  remove(name: string, labels: Labels): void;
  /** Runs `collect` before each scrape, for gauges that are cheaper to read than to keep; the answer ends that. */
  onScrape(collect: () => void): () => void;
  /** Everything in the Prometheus text format. */
  text(): Promise<string>;
}

/** What the metrics tell about themselves. */
export const ownMetrics = {
  drover_metrics_errors_total: {
    type: 'counter',
    help: 'Uses of metrics that were ignored: no such metric, not the labels declared, a value it cannot take, a failed collection.',
    labels: ['metric', 'problem'],
  },
} as const satisfies MetricTable;

/**
 * The metrics of the given tables; with `process` also those of the process itself (memory, CPU, event loop).
 * @throws Error when two tables declare the same name, or a name is not legal in Prometheus
 */
export function createMetrics(options: { tables: readonly MetricTable[]; process?: boolean }): Metrics {
  return new PrometheusMetrics(options);
}

/** One use of a metric. */
interface Sample {
  type: MetricRow['type'];
  name: string;
  labels: Labels;
  value: number;
}

/** Takes one value into a series. */
type Handle = (value: number) => void;

/** One declared metric. */
interface Family {
  row: MetricRow;
  /** Forgets all series. */
  reset(): void;
  /** Forgets one series. */
  remove(labels: Labels): void;
  /** Makes the handle of one series. */
  handle(labels: Labels): Handle;
  /** Handles made so far, by the values of their labels. */
  handles: Map<string, Handle>;
}

class PrometheusMetrics implements Metrics {
  readonly #registry = new Registry();
  readonly #families = new Map<string, Family>();
  readonly #collectors = new Set<() => void>();

  constructor({ tables, process = false }: { tables: readonly MetricTable[]; process?: boolean }) {
    for (const [name, row] of [ownMetrics, ...tables].flatMap((table) => Object.entries(table))) {
      this.#families.set(name, declare(this.#registry, name, row));
    }
    if (process) collectDefaultMetrics({ register: this.#registry });
  }

  count(name: string, labels: Labels = {}, by = 1): void {
    this.#record({ type: 'counter', name, labels, value: by });
  }

  set(name: string, value: number, labels: Labels = {}): void {
    this.#record({ type: 'gauge', name, labels, value });
  }

  observe(name: string, value: number, labels: Labels = {}): void {
    this.#record({ type: 'histogram', name, labels, value });
  }

  reset(name: string): void {
    const family = this.#families.get(name);
    if (!family) this.#ignore(name, 'unknown');
    family?.handles.clear();
    family?.reset();
  }

  remove(name: string, labels: Labels): void {
    const family = this.#families.get(name);
    if (!family) this.#ignore(name, 'unknown');
    const cut = bounded(labels);
    if (family?.handles.delete(seriesKey(family, cut))) family.remove(cut);
  }

  onScrape(collect: () => void): () => void {
    this.#collectors.add(collect);
    return () => this.#collectors.delete(collect);
  }

  async text(): Promise<string> {
    for (const collect of this.#collectors) this.#contain(collect);
    return this.#registry.metrics();
  }

  #contain(collect: () => void): void {
    try {
      collect();
    } catch {
      this.#ignore('', 'collect');
    }
  }

  #record({ type, name, labels, value }: Sample): void {
    const family = this.#families.get(name);
    if (family?.row.type !== type) this.#ignore(name, 'unknown');
    else if (!Number.isFinite(value) || (type === 'counter' && value < 0)) this.#ignore(name, 'value');
    else handleOf(family, bounded(labels), () => this.#ignore(name, 'labels'))(value);
  }

  #ignore(metric: string, problem: 'unknown' | 'labels' | 'value' | 'collect'): void {
    this.count('drover_metrics_errors_total', { metric, problem });
  }
}

/** Registers one row with prom-client. */
function declare(registry: Registry, name: string, row: MetricRow): Family {
  const options = { name, help: row.help, labelNames: [...row.labels], registers: [registry] };
  const handles = new Map();
  switch (row.type) {
    case 'counter': {
      const counter = new Counter(options);
      return {
        row,
        handles,
        reset: () => counter.reset(),
        remove: (labels) => counter.remove(labels),
        handle: (labels) => counter.labels(labels).inc,
      };
    }
    case 'gauge': {
      const gauge = new Gauge(options);
      return {
        row,
        handles,
        reset: () => gauge.reset(),
        remove: (labels) => gauge.remove(labels),
        handle: (labels) => gauge.labels(labels).set,
      };
    }
    case 'histogram': {
      const histogram = new Histogram({ ...options, ...(row.buckets && { buckets: [...row.buckets] }) });
      return {
        row,
        handles,
        reset: () => histogram.reset(),
        remove: (labels) => histogram.remove(labels),
        handle: (labels) => histogram.labels(labels).observe,
      };
    }
  }
}

/** Longer than the id of any VM. */
const MOST_CHARACTERS = 1_024;

/** Some labels say what tenants and their clusters wrote, and each scrape repeats them. */
const bounded = (labels: Labels): Labels =>
  Object.values(labels).some((value) => value.length > MOST_CHARACTERS)
    ? Object.fromEntries(Object.entries(labels).map(([label, value]) => [label, beginning(value, MOST_CHARACTERS)]))
    : labels;

const seriesKey = ({ row }: Family, labels: Labels): string => row.labels.map((label) => labels[label]).join('\0');

/** The handle of one series; `other` when these are not the labels that the row declares. */
function handleOf(family: Family, labels: Labels, other: Handle): Handle {
  const key = seriesKey(family, labels);
  const known = family.handles.get(key);
  if (known) return known;
  const values = family.row.labels.map((label) => labels[label]);
  if (values.includes(undefined) || Object.keys(labels).length !== values.length) return other;
  const handle = family.handle(Object.fromEntries(family.row.labels.map((label) => [label, labels[label] ?? ''])));
  family.handles.set(key, handle);
  return handle;
}
