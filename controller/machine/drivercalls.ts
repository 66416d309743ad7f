import type { Machine } from '../../schemas/machine.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import { DriverError } from '../codes.ts';
import type { Driver, MachineRequest, VmAnswer } from '../driver.ts';
import type { Cache } from '../runtime/cache.ts';
import type { Secret } from '../runtime/core.ts';
import { keyOf } from '../runtime/object.ts';
import type { CallAnswer, Calls } from './calls.ts';
import { changeMark, classKeyOf } from './observe.ts';
import { secretDataOf } from './secretdata.ts';
import type { MachineTokens } from './tokens.ts';
import { personalized, wantsToken } from './userdata.ts';
import type { MachineAction, MachineView } from './view.ts';

type Method = Extract<MachineAction, { do: 'call' }>['method'];

/** What a request is made from. */
interface Order {
  machine: Machine;
  found: MachineClass;
  method: Method;
}

/** Methods that hand the user data to a new VM. */
const MAKING: ReadonlySet<Method> = new Set(['createMachine', 'initializeMachine']);

interface DriverCallsOptions {
  calls: Calls;
  secrets: Cache<Secret>;
  drivers: ReadonlyMap<string, Driver>;
  tokens: MachineTokens;
  incarnation: string;
}

/** Turns the call that a decision asks for into a call of the driver that serves the Machine's class. */
export class DriverCalls {
  readonly #o: DriverCallsOptions;

  constructor(options: DriverCallsOptions) {
    this.#o = options;
  }

  /** Starts the call; its answer wakes the Machine's key. */
  start(view: MachineView, method: Method): void {
    const { machine } = view;
    if (view.class.at !== 'ours') return;
    const driver = this.#o.drivers.get(view.class.class.provider ?? '');
    if (!driver) return;
    const found = view.class.class;
    this.#o.calls.start({
      uid: machine.metadata.uid ?? '',
      key: keyOf(machine),
      classKey: classKeyOf(machine),
      method,
      mark: changeMark(this.#o, machine, view.class),
      run: async (signal) => ask(driver, method, this.#request({ machine, found, method }, signal)),
    });
  }

  #request({ machine, found, method }: Order, signal: AbortSignal): MachineRequest {
    const { incarnation, secrets } = this.#o;
    const data = secretDataOf(found, secrets);
    const secret = MAKING.has(method) ? this.#personalized(machine, data) : data;
    return { machine, class: found, secret, incarnation, signal, token: machine.metadata.uid ?? '' };
  }

  /** The marks in the user data give way to the Machine's own words, in the copy that a new VM gets. */
  #personalized(machine: Machine, data: Record<string, string>): Record<string, string> {
    const token = wantsToken(data) ? this.#o.tokens.textOf(machine) : undefined;
    return personalized(data, { machineName: machine.metadata.name, token });
  }
}

function ask(driver: Driver, method: Method, request: MachineRequest): Promise<CallAnswer> {
  if (method === 'deleteMachine') return driver.deleteMachine(request).then(() => undefined);
  if (method === 'getMachineStatus') return status(driver, request);
  if (method === 'initializeMachine') return initialize(driver, request);
  return create(driver, request);
}

/** AlreadyExists asks for the status first: a VM of ours is adopted, only a foreign one is an error (decisions 6). */
async function create(driver: Driver, request: MachineRequest): Promise<CallAnswer> {
  try {
    return { initialized: driver.initializeMachine === undefined, ...(await driver.createMachine(request)) };
  } catch (error) {
    if (!(error instanceof DriverError) || error.code !== 'AlreadyExists') throw error;
    const found = await status(driver, request).catch(() => undefined);
    if (found) return found;
    throw error;
  }
}

/** Without a status method the list is asked; without a list the create itself must be idempotent (decisions 6). */
async function status(driver: Driver, request: MachineRequest): Promise<CallAnswer> {
  if (!driver.getMachineStatus) return listed(driver, request);
  try {
    return { ...(await driver.getMachineStatus(request)), initialized: true };
  } catch (error) {
    if (!(error instanceof DriverError)) throw error;
    if (error.code === 'Unimplemented') return listed(driver, request);
    if (error.code !== 'Uninitialized') throw error;
    return { ...identity(error.known, request.machine), initialized: false };
  }
}

async function listed(driver: Driver, request: MachineRequest): Promise<CallAnswer> {
  const { spec, metadata } = request.machine;
  if (!driver.listMachines)
    return spec?.providerID ? { ...identity({}, request.machine), initialized: true } : undefined;
  const found = (await driver.listMachines(request)).filter(({ machineName }) => machineName === metadata.name);
  const [vm] = found;
  if (found.length > 1) throw new DriverError('OutOfRange', `${found.length} VMs are named ${metadata.name}`);
  return vm && { ...identity(vm, request.machine), initialized: true };
}

async function initialize(driver: Driver, request: MachineRequest): Promise<CallAnswer> {
  const known = { ...identity({}, request.machine), initialized: true };
  try {
    return { ...known, ...(await driver.initializeMachine?.(request)), initialized: true };
  } catch (error) {
    const skipped = error instanceof DriverError && (error.code === 'NotFound' || error.code === 'Unimplemented');
    if (skipped) return known;
    throw error;
  }
}

/** What the driver told, completed by what the Machine already records. */
function identity(known: { providerID?: string; nodeName?: string }, { spec, metadata }: Machine): VmAnswer {
  const providerID = known.providerID ?? spec?.providerID ?? '';
  if (providerID === '')
    throw new DriverError('Internal', 'the driver names no providerID for a VM that it says exists');
  return { providerID, nodeName: known.nodeName ?? metadata.labels?.['node'] ?? metadata.name };
}
