import { SomeRefused } from '../../controller/flow/refusals.ts';
import { ApiError } from '../../controller/runtime/client/api.ts';
import type { Clock } from '../../controller/runtime/clock.ts';
import type { Fields, Level, Log } from '../../controller/runtime/observability/log.ts';
import type { Findings } from './finding.ts';
import { silent, type Trace } from './trace.ts';

/** What the log of a process needs. */
export interface ProcessLogParts {
  who: string;
  clock: Clock;
  trace: Trace;
  findings: Findings;
}

/** So many decisions about one key within so many milliseconds are a circle. */
const CIRCLE = { decisions: 150, ms: 10_000 };

/** Errors that come from outside: the network, the API server, and those that the controller makes to mark a retry. */
const isExpected = (error: unknown): boolean =>
  !(error instanceof Error) ||
  error instanceof ApiError ||
  error.constructor.name === 'NameTaken' ||
  error.name === 'AbortError' ||
  (error instanceof SomeRefused && error.failures.every((failure) => isExpected(failure.error)));

/** Puts lines into the trace, and finds errors that nobody expects and keys that are decided about without end. */
export class ProcessLog implements Log {
  readonly #parts: ProcessLogParts;
  readonly #fields: Fields;
  readonly #counts: Map<string, { since: number; count: number }>;

  constructor(
    parts: ProcessLogParts,
    fields: Fields = {},
    counts = new Map<string, { since: number; count: number }>(),
  ) {
    this.#parts = parts;
    this.#fields = fields;
    this.#counts = counts;
  }

  debug(message: string, fields: Fields = {}): void {
    this.#write('debug', message, fields);
  }

  info(message: string, fields: Fields = {}): void {
    this.#write('info', message, fields);
  }

  warn(message: string, fields: Fields = {}): void {
    this.#write('warn', message, fields);
  }

  error(message: string, fields: Fields = {}): void {
    const { error } = fields;
    if (message === 'Reconcile failed' && !isExpected(error))
      this.#parts.findings.add('nothing unexpected is thrown', `${message}: ${(error as Error).stack}`);
    this.#write('error', message, fields);
  }

  child(fields: Fields): Log {
    return new ProcessLog(this.#parts, { ...this.#fields, ...fields }, this.#counts);
  }

  #write(level: Level, message: string, fields: Fields): void {
    const { trace, who } = this.#parts;
    if (message === 'decided') this.#count(fields);
    if (trace === silent) return;
    trace.note(who, level === 'debug' || level === 'info' ? message : `${level.toUpperCase()} ${message}`, {
      ...this.#fields,
      ...fields,
    });
  }

  #count({ machine, machineSet, machineDeployment, step, reason }: Fields): void {
    const { clock, findings } = this.#parts;
    const key = `${machine ?? machineSet ?? machineDeployment}`;
    const now = clock.monotonic();
    const known = this.#counts.get(key);
    const count = known && now - known.since < CIRCLE.ms ? known : { since: now, count: 0 };
    count.count += 1;
    this.#counts.set(key, count);
    if (count.count > CIRCLE.decisions)
      findings.add(
        'it does not run in circles',
        `${count.count} decisions about ${key} within ${CIRCLE.ms / 1000} s; the last: ${step} ${reason}`,
      );
  }
}
