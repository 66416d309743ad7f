import type { Driver, ListedVm, MachineRequest, VmAnswer } from '../../controller/drivers/sdk/driver.ts';
import { DriverError } from '../../controller/drivers/sdk/errors.ts';
import { vmStatus } from '../../controller/drivers/sdk/vmstatus.ts';
import { until } from '../../hack/lib/until.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import type { Candidate, Trial } from './candidate.ts';

/** A secret value that must show up nowhere. */
const CANARY = 'canary-3f9d1c';
/** Deadline of calls that are expected to answer, milliseconds. */
const PATIENCE_MS = 60_000;

type Spec = Record<string, unknown>;

/** Makes requests for a driver, and remembers what was made and said until the end of the trial. */
export class Herd {
  readonly trial: Trial;
  readonly incarnation = crypto.randomUUID();
  readonly begun = Date.now();
  /** Names of its machines begin with this. */
  readonly prefix = `trial-${crypto.randomUUID().slice(0, 8)}`;
  readonly #requests = new Map<string, MachineRequest>();
  readonly #said: string[] = [];
  #candidate: Candidate | undefined;
  #driver: Driver | undefined;
  #count = 0;

  constructor(trial: Trial) {
    this.trial = trial;
  }

  async start(): Promise<void> {
    this.#candidate = await this.trial.start();
    this.#driver = overheard(this.#candidate.driver, this.#said);
  }

  get candidate(): Candidate {
    if (!this.#candidate) throw new Error('the trial has not begun');
    return this.#candidate;
  }

  get driver(): Driver {
    if (!this.#driver) throw new Error('the trial has not begun');
    return this.#driver;
  }

  /** A request about a new machine. Each spec is a class of its own. */
  request(spec: Spec = this.trial.specs.plain): MachineRequest {
    const uid = crypto.randomUUID();
    const request: MachineRequest = {
      machine: { metadata: { name: `${this.prefix}-${++this.#count}`, namespace: 'herd', uid }, spec: {} },
      token: uid,
      class: this.classOf(spec),
      secret: { ...this.candidate.secret, canary: CANARY },
      incarnation: this.incarnation,
      signal: AbortSignal.timeout(PATIENCE_MS),
    };
    this.#requests.set(uid, request);
    return request;
  }

  /** The class of a spec, named by what is in it and by the run. */
  classOf(providerSpec: Spec): MachineClass {
    const name = `${this.prefix}-${Bun.hash(JSON.stringify(providerSpec)).toString(36)}`;
    return { metadata: { name, namespace: 'herd' }, provider: this.driver.name, providerSpec };
  }

  /** VMs of a machine as the list tells them; undefined where there is no list. */
  async listed({ machine, ...request }: MachineRequest): Promise<ListedVm[] | undefined> {
    const vms = await this.driver.listMachines?.(request);
    return vms?.filter(({ machineName }) => machineName === machine.metadata.name);
  }

  /** Deletes a machine's VM as the controller does: until the driver no longer knows it. */
  async remove(request: MachineRequest, answer?: VmAnswer): Promise<void> {
    const patient = { ...request, signal: AbortSignal.timeout(PATIENCE_MS) };
    await this.driver.deleteMachine(patient);
    await until('that the driver no longer knows the VM', () => this.#isGone(patient), { timeoutMs: PATIENCE_MS });
    await this.candidate.afterDelete?.(answer?.nodeName ?? request.machine.metadata.name);
  }

  /** The VM as the controller is told of it: by the list where there is no status method. Undefined where there is none. */
  async status(request: MachineRequest): Promise<VmAnswer | undefined> {
    return vmStatus(this.driver, request).catch((error: DriverError) => {
      if (error.code === 'NotFound') return undefined;
      throw error;
    });
  }

  /** Where the driver cannot tell, what was answered to the deletion is all that there is. */
  async #isGone(request: MachineRequest): Promise<boolean> {
    const vm = await vmStatus(this.driver, request).catch((error: DriverError) => error.code);
    return vm === undefined || vm === 'NotFound' || (typeof vm === 'object' && vm.assumed === true);
  }

  /** Deletes every machine that was asked for. */
  async removeAll(): Promise<void> {
    for (const request of this.#requests.values())
      await this.remove({ ...request, class: this.classOf(this.trial.specs.plain) });
  }

  /** Whether something that was answered, thrown or logged tells the secret. */
  tellsSecret(): boolean {
    return [...this.#said, this.candidate.logged()].some((text) => text.includes(CANARY));
  }
}

/** The same request with a machine that has a record of its VM. */
export const recorded = (request: MachineRequest, { providerID }: VmAnswer): MachineRequest => ({
  ...request,
  machine: { ...request.machine, spec: { ...request.machine.spec, providerID } },
});

/** What a call throws; anything but a DriverError breaks the contract. */
export async function errorOf(call: Promise<unknown> | undefined): Promise<DriverError> {
  const error = await call?.then(
    (answer) => new Error(`the call answered ${JSON.stringify(answer)}`),
    (thrown) => thrown,
  );
  if (error instanceof DriverError) return error;
  throw new Error('the call should have thrown a DriverError', { cause: error });
}

/** What judges ids, and is no call. */
const JUDGEMENTS: ReadonlySet<unknown> = new Set<keyof Driver>(['isSameVm', 'isVmId']);

/** The driver, with all that it says written down. */
function overheard(driver: Driver, said: string[]): Driver {
  return new Proxy(driver, {
    get(target, key) {
      const part: unknown = Reflect.get(target, key);
      if (typeof part !== 'function' || JUDGEMENTS.has(key)) return part;
      return async (...words: unknown[]) => {
        try {
          const answer: unknown = await Reflect.apply(part, target, words);
          said.push(JSON.stringify(answer) ?? '');
          return answer;
        } catch (error) {
          said.push(Bun.inspect(error));
          throw error;
        }
      };
    },
  });
}
