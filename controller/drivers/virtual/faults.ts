import { parseDuration } from '../../../schemas/duration.ts';
import type { CallFault, VirtualSpec } from '../../../schemas/providers/virtual.ts';
import type { DriverMethod } from '../sdk/driver.ts';
import { chanceOf } from './chance.ts';

/** A call that may be struck; one about no single machine has no `machine`. */
export interface Call {
  method: DriverMethod;
  /** `namespace/name`. */
  machine?: string | undefined;
}

/**
 * Chooses the calls that fail. Chance hangs on the seed, the machine's name, the method and how often it was called, so
 * that the same calls in the same order fail alike in every run.
 */
export class Faults {
  /** Calls of a machine that faults had to be asked about, by method. Empty as long as no class has any. */
  readonly #calls = new Map<string, Map<DriverMethod, number>>();

  /** The fault that strikes this call, if any. */
  strike(spec: VirtualSpec, call: Call): CallFault | undefined {
    const faults = spec.faults?.calls?.filter((fault) => concerns(fault, call)) ?? [];
    if (faults.length === 0) return undefined;
    const turn = this.#count(call);
    const seed = `${spec.faults?.seed ?? 0} ${call.machine} ${call.method} ${turn}`;
    return faults.find(
      ({ times, rate, answer }) => turn < (times ?? Number.POSITIVE_INFINITY) && hits(rate, `${seed} ${answer}`),
    );
  }

  /** The machine's VM is gone: its calls are counted anew. */
  forget(machine: string): void {
    this.#calls.delete(machine);
  }

  #count({ method, machine = '' }: Call): number {
    const counts = this.#calls.get(machine) ?? new Map<DriverMethod, number>();
    const turn = counts.get(method) ?? 0;
    this.#calls.set(machine, counts.set(method, turn + 1));
    return turn;
  }
}

/** What faults make of a VM's life: Infinity for what does not happen. */
export function fateOf({ spec, machine }: { spec: VirtualSpec; machine: string }) {
  const fate = {
    joins: true,
    breaksAfterMs: Number.POSITIVE_INFINITY,
    vanishesAfterMs: Number.POSITIVE_INFINITY,
  };
  for (const { fate: what, after = '0', rate, machine: pattern } of spec.faults?.vms ?? []) {
    if (!fits(pattern, machine) || !hits(rate, `${spec.faults?.seed ?? 0} ${machine} ${what}`)) continue;
    const afterMs = parseDuration(after) ?? 0;
    if (what === 'NeverJoins') fate.joins = false;
    if (what === 'Breaks') fate.breaksAfterMs = Math.min(fate.breaksAfterMs, afterMs);
    if (what === 'Vanishes') fate.vanishesAfterMs = Math.min(fate.vanishesAfterMs, afterMs);
  }
  return fate;
}

const concerns = ({ method, machine: pattern }: CallFault, call: Call): boolean =>
  (method === undefined || method === call.method) && fits(pattern, call.machine);

const hits = (rate: number | undefined, seed: string): boolean => rate === undefined || chanceOf(seed) < rate;

/** Whether a machine's name has the form of a pattern, in which * stands for anything; in linear time. */
function fits(pattern: string | undefined, machine: string | undefined): boolean {
  if (pattern === undefined || machine === undefined) return pattern === undefined;
  const name = machine.slice(machine.indexOf('/') + 1);
  const [head = '', ...parts] = pattern.split('*');
  const tail = parts.pop();
  if (tail === undefined) return name === pattern;
  let at = name.startsWith(head) ? head.length : -1;
  for (const part of parts) at = after(part, { in: name, from: at });
  return at >= 0 && name.endsWith(tail) && at + tail.length <= name.length;
}

/** Where the first `part` at or behind `from` ends; -1 where there is none. */
function after(part: string, { in: text, from }: { in: string; from: number }): number {
  const at = from < 0 ? -1 : text.indexOf(part, from);
  return at < 0 ? -1 : at + part.length;
}
