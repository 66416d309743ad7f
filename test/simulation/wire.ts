import type { ClassRequest, ListedVm, MachineRequest } from '../../controller/drivers/sdk/driver.ts';
import { type Code, codes, DriverError, toDriverError } from '../../controller/drivers/sdk/errors.ts';
import { keyOf } from '../../controller/runtime/k8s/object.ts';
import type { CallMethod, ReportedVm, SimDriverParts } from './driver.ts';

/** What becomes of a call to the cloud. */
type CallOutcome = { kind: 'answered' } | { kind: 'hangs' | 'fails' | 'throws'; effect: boolean; code: Code };

/** What a call does in the cloud, and what its answer says of the VM. */
interface CloudCall<T> {
  method: CallMethod;
  /** Whose errors it has, if not those of `method`. */
  fails?: 'listMachines';
  effect(): T;
  reported(answer: T): ReportedVm;
}

/** Milliseconds from a call to its effect, and from the effect to the answer. */
const TIMES = { there: [10, 2_000], back: [10, 8_000] } as const;

/** Codes of an error after the work was done: whoever answers them does not know. */
const doubts: readonly Code[] = ['Unknown', 'DeadlineExceeded', 'Aborted', 'Unavailable', 'Internal'];

/**
 * The way from a driver to the cloud. Calls about one machine arrive in the order in which a process made them; what was
 * sent arrives even if the process dies or gives up.
 */
export class Wire {
  readonly #parts: SimDriverParts;
  readonly #lastAt = new Map<string, number>();

  constructor(parts: SimDriverParts) {
    this.#parts = parts;
  }

  /** Makes a call about a machine. Throws what the cloud or an injected fault throws, and what the signal's reason comes to when it aborts. */
  async call<T>(request: MachineRequest, { method, fails, effect, reported }: CloudCall<T>): Promise<T> {
    const { watcher, trace, who } = this.#parts;
    const machine = keyOf(request.machine);
    watcher.called(method, request);
    const outcome = this.#outcome(fails ?? method);
    trace.note(who, `calls ${method}`, { machine, outcome });
    try {
      const answer = await this.#exchange(request, { outcome, effect });
      trace.note(who, `hears of ${method}`, { machine, answer });
      watcher.heard(reported(answer), request);
      return answer;
    } catch (error) {
      trace.note(who, `hears of ${method}`, { machine, error });
      watcher.heard(reportedByError(method, error), request);
      throw error;
    }
  }

  /** Asks for all VMs; fails as a status does. */
  async list(request: ClassRequest, effect: () => ListedVm[]): Promise<ListedVm[]> {
    const { watcher, trace, who } = this.#parts;
    const vms = await this.#exchange(request, { outcome: this.#outcome('listMachines'), effect });
    trace.note(who, 'hears of all VMs', { vms: vms.map(({ providerID }) => providerID) });
    watcher.listed(vms);
    return vms;
  }

  #outcome(method: CallMethod | 'listMachines'): CallOutcome {
    const { chance } = this.#parts;
    const rates = this.#parts.faultRates();
    const code = chance.oneOf(errorsOf(method));
    if (chance.happens(rates.driverHang)) return { kind: 'hangs', effect: chance.happens(0.5), code };
    if (chance.happens(rates.driverThrow)) return { kind: 'throws', effect: chance.happens(0.5), code };
    if (chance.happens(rates.driverLostAnswer)) return { kind: 'fails', effect: true, code: chance.oneOf(doubts) };
    if (chance.happens(rates.driverError)) return { kind: 'fails', effect: false, code };
    return { kind: 'answered' };
  }

  #exchange<T>(request: ClassRequest, { outcome, effect }: { outcome: CallOutcome; effect: () => T }): Promise<T> {
    const { clock, chance, lifetime } = this.#parts;
    const { signal } = request;
    return new Promise((resolve, reject) => {
      // A driver gives up at once; now and then one does not.
      const stubborn = chance.happens(0.1);
      signal.addEventListener('abort', () => stubborn || reject(toDriverError(signal.reason)), { once: true });
      if (signal.aborted) return reject(toDriverError(signal.reason));
      this.#arrival(request, () => {
        const ending = endingOf(outcome, effect);
        const back = chance.between(...TIMES.back);
        if (outcome.kind !== 'hangs') clock.after(back, () => lifetime.deliver(() => ending(resolve, reject)));
      });
    });
  }

  /** Runs `arrive` when the call reaches the cloud, after those about the same machine that were made before. */
  #arrival(request: ClassRequest, arrive: () => void): void {
    const { clock, chance, lifetime } = this.#parts;
    if (lifetime.dead) return;
    const token = 'token' in request ? String(request.token) : '';
    const at = Math.max(this.#lastAt.get(token) ?? 0, clock.now() + chance.between(...TIMES.there));
    this.#lastAt.set(token, at);
    clock.after(at - clock.now(), arrive);
  }
}

/** What a status that fails says of the VM. */
function reportedByError(method: CallMethod, error: unknown): ReportedVm {
  if (method !== 'getMachineStatus' || !(error instanceof DriverError)) return 'unknown';
  if (error.code === 'OutOfRange') return 'several';
  return error.code === 'NotFound' ? 'absent' : 'unknown';
}

type Ending<T> = (resolve: (answer: T) => void, reject: (error: unknown) => void) => void;

/** Does the work, if it is to be done, and answers how the call ends. */
function endingOf<T>(outcome: CallOutcome, effect: () => T): Ending<T> {
  if (outcome.kind !== 'answered' && !outcome.effect) return (_, reject) => reject(errorOf(outcome));
  try {
    const answer = effect();
    return (resolve, reject) => (outcome.kind === 'answered' ? resolve(answer) : reject(errorOf(outcome)));
  } catch (error) {
    return (_, reject) => reject(outcome.kind === 'answered' ? error : errorOf(outcome));
  }
}

const errorOf = ({ kind, code }: Exclude<CallOutcome, { kind: 'answered' }>): Error =>
  kind === 'throws' ? new Error('the driver broke') : new DriverError(code, 'because the simulation says so');

/** Codes that may be answered before anything was done. A list that is there is there: nothing stands in for it. */
const errorsOf = (method: CallMethod | 'listMachines'): Code[] =>
  (Object.keys(codes) as Code[]).filter((code) => {
    if (code === 'OK' || code === 'NotFound' || code === 'Uninitialized') return false;
    if (code === 'Unimplemented') return method !== 'listMachines';
    return code !== 'AlreadyExists' || method === 'createMachine';
  });
