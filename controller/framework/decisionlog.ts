import { type Decision, reasonOf } from '../flow/flow.ts';
import type { Log } from '../runtime/observability/log.ts';
import type { Metrics, MetricTable } from '../runtime/observability/metrics.ts';

/** Metrics of decisions; the label `name` is the loop's. */
export const decisionMetrics = {
  drover_decisions_total: {
    type: 'counter',
    help: 'Decisions by the step that decided and what followed: act, wait, fail, or pass when every step is satisfied.',
    labels: ['name', 'step', 'outcome'],
  },
  drover_decisions_blocked_total: {
    type: 'counter',
    help: 'Decisions that wait because an API server is unreachable, by the step that decided.',
    labels: ['name', 'step'],
  },
} as const satisfies MetricTable;

/** What a decision log needs. */
export interface DecisionLogParts {
  /** Name of the objects in log lines, of a Secret `secretName`; in small letters that of the loop in metrics. */
  kind: 'machine' | 'machineSet' | 'machineDeployment' | 'machineClass' | 'secret' | 'cluster';
  log: Log;
  metrics: Metrics;
}

/** What is logged beside a decision. */
export interface Beside {
  phase?: string | undefined;
  /** A matter of routine, which is no change and logged at debug only. */
  routine?: boolean | undefined;
}

/**
 * Logs decisions: a change at info, a repeat at debug. What it remembers for that dies with the process, so that a new
 * one logs once what is not settled.
 */
export class DecisionLog {
  readonly #parts: DecisionLogParts;
  /** By key and subject. */
  readonly #logged = new Map<string, Map<string, string>>();

  constructor(parts: DecisionLogParts) {
    this.#parts = parts;
  }

  /** Logs and counts a decision; answers whether it is another than the last one about this key. */
  decided(key: string, decision: Decision<unknown>, { phase, routine = false }: Beside = {}): boolean {
    const { kind, log, metrics } = this.#parts;
    const { step, outcome, held } = decision;
    const reason = reasonOf(decision);
    metrics.count('drover_decisions_total', { name: kind.toLowerCase(), step, outcome: outcome.kind });
    if (held !== undefined) metrics.count('drover_decisions_blocked_total', { name: kind.toLowerCase(), step });
    const resting = outcome.kind === 'pass' && !this.#logged.get(key)?.has('decision');
    const changed = !routine && this.isChanged(key, 'decision', [step, outcome.kind, reason, phase].join(' '));
    const message = 'message' in outcome ? outcome.message : undefined;
    // The log hides whatever stands under `secret`.
    const subject = kind === 'secret' ? 'secretName' : kind;
    const fields = { [subject]: key, step, outcome: outcome.kind, reason, phase, message };
    log[changed && !resting ? 'info' : 'debug'](held === undefined ? 'decided' : 'held', fields);
    return changed;
  }

  /** Whether this text differs from what was last logged of the subject; an empty text is nothing to log. */
  isChanged(key: string, subject: string, text: string): boolean {
    const logged = this.#logged.get(key) ?? new Map<string, string>();
    if ((logged.get(subject) ?? '') === text) return false;
    this.#logged.set(key, logged.set(subject, text));
    return text !== '';
  }

  /** Drops what is known of an object that is gone. */
  forget(key: string): void {
    this.#logged.delete(key);
  }
}
