import type { MachineRequest } from '../../controller/drivers/sdk/driver.ts';
import type { WorldClock } from '../world/clock.ts';
import type { CallMethod } from './driver.ts';
import type { Findings } from './finding.ts';

/**
 * What processes are told: so many calls of one method may be in flight; one namespace, as the herd is, may have half, and one class, as
 * the herd has, half of that.
 */
export const DRIVER_CALLS = { all: 12, most: 3 };

/** Whoever tells a driver to give up waits so long for it, milliseconds (controller/machine/calls/inflight.ts), and then for the next timer. */
const LET_GO_MS = 31_000;

/** Judged by itself; a creation may ask for the status of what is there already, and that counts for the creation. */
const JUDGED: ReadonlySet<CallMethod> = new Set([
  'createMachine',
  'deleteMachine',
  'initializeMachine',
  'updateMachine',
  'claimMachine',
]);

/** A call that nobody has answered, and since when its caller wants no answer any more. */
interface Flight {
  method: CallMethod;
  abortedAt: number;
}

/** Counts the driver calls that one process has in flight, and finds more of them than it may. */
export class Flights {
  readonly #parts: { clock: Pick<WorldClock, 'now'>; findings: Findings };
  readonly #open = new Map<AbortSignal, Flight>();

  constructor(parts: { clock: Pick<WorldClock, 'now'>; findings: Findings }) {
    this.#parts = parts;
  }

  /** A call begins. */
  began(method: CallMethod, { signal }: MachineRequest): void {
    const { clock, findings } = this.#parts;
    const flight: Flight = { method, abortedAt: Infinity };
    const aborted = () => {
      flight.abortedAt = clock.now();
    };
    signal.addEventListener('abort', aborted, { once: true });
    this.#open.set(signal, flight);
    const alive = [...this.#open.values()].filter((one) => clock.now() - one.abortedAt < LET_GO_MS);
    const count = alive.filter((one) => one.method === method).length;
    if (JUDGED.has(method) && count > DRIVER_CALLS.most)
      findings.add('no more calls than allowed', `${count} calls of ${method} are in flight at once`);
  }

  /** A call was answered, or failed. */
  ended({ signal }: MachineRequest): void {
    this.#open.delete(signal);
  }
}
