import type { Clock } from '../../controller/runtime/clock.ts';
import { microTimestamp } from '../../controller/runtime/k8s/object.ts';

/** What happens in a run, for people to read. */
export interface Trace {
  /** @param who for example `user`, `cloud`, or a process */
  note(who: string, what: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Nobody reads. */
export const silent: Trace = { note: () => {} };

/** Keeps every line. */
export class Recording implements Trace {
  readonly lines: string[] = [];
  readonly #clock: Pick<Clock, 'now'>;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  note(who: string, what: string, fields: Readonly<Record<string, unknown>> = {}): void {
    const time = microTimestamp(this.#clock.now()).slice(11, 23);
    const rest = Object.entries(fields).map(([key, value]) => `${key}=${wording(value)}`);
    this.lines.push([time, who.padEnd(9), what, ...rest].join(' '));
  }
}

const wording = (value: unknown): string =>
  typeof value === 'string' ? value : value instanceof Error ? `"${value.message}"` : (JSON.stringify(value) ?? '');
