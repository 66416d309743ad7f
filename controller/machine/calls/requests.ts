import type { FormerIds } from '../../../schemas/config/formerids.ts';
import { ANNOTATION_APPLIED_SPEC } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import type { MachineClass } from '../../../schemas/machineclass.ts';
import type { ClaimRequest, Driver, DriverMethod, MachineRequest, VmOwner } from '../../drivers/sdk/driver.ts';
import { type Code, DriverError } from '../../drivers/sdk/errors.ts';
import { identity, tellingOwner, vmStatus } from '../../drivers/sdk/vmstatus.ts';
import { secretDataOf } from '../../model/class.ts';
import { clusterOf } from '../../model/target.ts';
import type { Secret } from '../../runtime/k8s/core.ts';
import { keyOf } from '../../runtime/k8s/object.ts';
import type { Cache } from '../../runtime/watch/cache.ts';
import { personalized, wantsToken } from '../bootstrap/token.ts';
import type { MachineTokens } from '../bootstrap/tokens.ts';
import { specIn } from '../flow/hotupdate.ts';
import type { CalledMethod, MachineView } from '../flow/view.ts';
import type { CallAnswer } from './failures.ts';
import { changeMark, type InFlightCalls, isNamed } from './inflight.ts';
import { slotKeyOf } from './limiter.ts';
import type { Updates } from './updates.ts';

/** The Machine with the driver's memo as it told it last, whether that is written yet or not. */
const remembering = (machine: Machine, lastKnownState: string | undefined): Machine =>
  lastKnownState === undefined ? machine : { ...machine, status: { ...machine.status, lastKnownState } };

/** What a request is made from. */
interface Order {
  view: MachineView;
  found: MachineClass;
  method: DriverMethod;
}

/** Methods that hand the user data to a new VM. */
const MAKING: ReadonlySet<DriverMethod> = new Set(['createMachine', 'initializeMachine']);

/** What driver calls are made with. */
export interface DriverCallsOptions {
  calls: InFlightCalls;
  updates: Updates;
  secrets: Cache<Secret>;
  drivers: ReadonlyMap<string, Driver>;
  tokens: MachineTokens;
  incarnation: string;
  /** Ids of other installations that a namespace was moved from. */
  formerIds?: FormerIds;
  /** The Machine of that name as the API server has it now; undefined when there is none. */
  lookUp(machine: Machine): Promise<Machine | undefined>;
}

/** Turns the call that a decision asks for into a call of the driver that serves the Machine's class. */
export class DriverCalls {
  readonly #o: DriverCallsOptions;

  constructor(options: DriverCallsOptions) {
    this.#o = options;
  }

  /** Starts the call, unless others took the slot: its answer, or a slot, enqueues the Machine's key. */
  start(view: MachineView, method: CalledMethod): void {
    const served = this.#servedBy(view);
    if (!served) return;
    const { driver, found } = served;
    this.#o.calls.start({
      ...this.#about(view),
      method,
      run: async (signal) => {
        const madeOf = method === 'createMachine' ? this.#madeOf(view.machine, found) : undefined;
        if (method === 'claimMachine') await this.#assertAlive(view.machine);
        const request = this.#request({ view, found, method }, signal);
        const answer = await ask(driver, method, { ...request, madeOf, from: heirloom(view) });
        const asked = { driver: driver.name, method, machine: view.machine, hasTarget: view.node.at !== 'none' };
        return checked(answer, asked);
      },
    });
  }

  /** What a VM is made of whose creation begins; undefined if it may have been made before. */
  #madeOf({ metadata: { uid = '' } }: Machine, found: MachineClass): string | undefined {
    return this.#o.updates.isFirstCreation(uid) ? this.#o.updates.hotFields.of(found) : undefined;
  }

  /** Starts a hot update that brings the VM to `spec`; its end enqueues the Machine's key. */
  update(view: MachineView, spec: string): void {
    const served = this.#servedBy(view);
    if (!served) return;
    const { driver, found } = served;
    const { machine } = view;
    const order: Order = { view, found, method: 'updateMachine' };
    const applied = specIn(machine.metadata.annotations?.[ANNOTATION_APPLIED_SPEC]) ?? {};
    const token = updateToken(machine, found);
    this.#o.updates.start({
      ...this.#about(view),
      spec,
      run: async (signal) => driver.updateMachine?.({ ...this.#request(order, signal), token, applied }),
    });
  }

  /**
   * The mark on a VM is replaced by that of the Machine that has the name now, as the API server itself says: so there is no living Machine
   * with the UID in the old mark.
   */
  async #assertAlive(machine: Machine): Promise<void> {
    const found = await this.#o.lookUp(machine);
    if (found?.metadata.uid === machine.metadata.uid) return;
    throw new DriverError('Aborted', `Machine ${keyOf(machine)} is another one by now: its VM is not claimed`);
  }

  #servedBy({ class: fact }: MachineView): { driver: Driver; found: MachineClass } | undefined {
    const driver = fact.at === 'ours' ? this.#o.drivers.get(fact.class.provider ?? '') : undefined;
    return fact.at === 'ours' && driver ? { driver, found: fact.class } : undefined;
  }

  #about({ machine, class: fact }: MachineView) {
    return {
      uid: machine.metadata.uid ?? '',
      key: keyOf(machine),
      classKey: slotKeyOf(machine, fact),
      mark: changeMark(this.#o, machine, fact),
      isNamed: isNamed(machine),
    };
  }

  #request({ view: { machine, calls }, found, method }: Order, signal: AbortSignal): MachineRequest {
    const { incarnation, secrets, formerIds } = this.#o;
    const data = secretDataOf(found, secrets);
    const former = formerIds?.get(machine.metadata.namespace ?? '');
    const secret = MAKING.has(method) ? this.#personalized(machine, data) : data;
    return {
      machine: remembering(machine, calls.lastKnownState),
      class: found,
      secret,
      ...clusterIn(machine),
      incarnation,
      ...(former && { formerIncarnations: former }),
      signal,
      token: machine.metadata.uid ?? '',
    };
  }

  /** The marks in the user data give way to the Machine's own words, in the copy that a new VM gets. */
  #personalized(machine: Machine, data: Record<string, string>): Record<string, string> {
    const token = wantsToken(data) ? this.#o.tokens.textOf(machine) : undefined;
    return personalized(data, { machineName: machine.metadata.name, token });
  }
}

/** The Cluster that the machine joins, as drivers are told of it; nothing for the default target. */
function clusterIn(machine: Machine): Pick<MachineRequest, 'cluster'> {
  const name = clusterOf(machine);
  return name ? { cluster: { namespace: machine.metadata.namespace ?? '', name } } : {};
}

/** Errors of a creation that say that there is a VM. */
const THERE: ReadonlySet<Code> = new Set(['AlreadyExists', 'Uninitialized']);

/** UID, and generation of what the hot fields were changed in: the class, or the Machine with an inline spec. */
function updateToken({ metadata }: Machine, { metadata: { uid, generation } }: MachineClass): string {
  return uid === undefined ? `${metadata.uid}/${metadata.generation}` : `${metadata.uid}/${uid}/${generation}`;
}

/**
 * A request, and the hot part of the spec that a VM is about to be made of: of a first creation only, for a later one may
 * find the VM that an earlier one made of another spec, and lost.
 */
type Asking = MachineRequest & { madeOf: string | undefined };

/** The mark that a VM is thought to have, where it is to be exchanged. */
type Claiming = Asking & { from: VmOwner | undefined };

function ask(driver: Driver, method: CalledMethod, { madeOf, from, ...request }: Claiming): Promise<CallAnswer> {
  if (method === 'deleteMachine') return remove(driver, request);
  if (method === 'getMachineStatus') return vmStatus(driver, request);
  if (method === 'retainMachine') return retain(driver, request);
  if (method === 'claimMachine') return claim(driver, { ...request, from });
  if (method === 'initializeMachine') return initialize(driver, request);
  return create(driver, { ...request, madeOf });
}

/** The mark of the VM that the Machine is to claim anew. */
const heirloom = ({ claim }: MachineView): VmOwner | undefined => (claim.at === 'heir' ? claim.of : undefined);

async function claim(
  driver: Driver,
  { from, ...request }: MachineRequest & { from: VmOwner | undefined },
): Promise<CallAnswer> {
  if (!driver.claimMachine || !from)
    throw new DriverError('Unimplemented', `the driver ${driver.name} cannot mark a VM anew: it has no claimMachine`);
  return { initialized: true, ...(await driver.claimMachine({ ...request, from } satisfies ClaimRequest)) };
}

async function remove(driver: Driver, request: MachineRequest): Promise<CallAnswer> {
  const { lastKnownState } = await driver.deleteMachine(request);
  return { gone: true, lastKnownState };
}

/** A driver that cannot mark VMs is found out at admission, where it is known there. */
async function retain(driver: Driver, request: MachineRequest): Promise<CallAnswer> {
  if (!driver.retainMachine)
    throw new DriverError(
      'Unimplemented',
      `the driver ${driver.name} cannot mark a VM as left on purpose: set spec.deletionPolicy to Delete, and the VM is deleted with the Machine`,
    );
  await driver.retainMachine(request);
  return { ...identity({}, request.machine), initialized: true };
}

/**
 * AlreadyExists asks for the status first: a VM of ours is adopted, only a foreign one is an error (hack/decisions/0000 6). So does
 * Uninitialized: the VM is there.
 */
async function create(driver: Driver, { madeOf, ...request }: Asking): Promise<CallAnswer> {
  try {
    const answer = await driver.createMachine(request);
    // A VM that the cloud has under that name, with the mark of a Machine that is gone, was made from an unknown template.
    const isNew = answer.owner?.uid === undefined || answer.owner.uid === request.machine.metadata.uid;
    const made = madeOf !== undefined && isNew ? { madeOf } : {};
    return { initialized: driver.initializeMachine === undefined, ...made, ...answer };
  } catch (error) {
    if (!(error instanceof DriverError) || !THERE.has(error.code)) throw error;
    const isOurs = error.code === 'Uninitialized' && error.known.providerID !== undefined;
    if (isOurs) return { ...identity(error.known, request.machine), ...tellingOwner(error.known), initialized: false };
    const found = await vmStatus(driver, request).catch(() => undefined);
    if (found) return found;
    throw error;
  }
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

/** Who answered, and of which Machine. */
export interface Asked {
  driver: string;
  method: CalledMethod;
  machine: Machine;
  /** Without a target cluster no Node has a name. */
  hasTarget: boolean;
}

/**
 * An answer of a driver as the contract wants it (driver.ts): what a VM is known by is never empty (hack/spec/mcm.md 6.4 3). Throws a
 * DriverError that says what is wrong: it waits as a failure does, and nothing of it is recorded.
 */
export function checked(answer: CallAnswer, { driver, method, machine, hasTarget }: Asked): CallAnswer {
  if (!answer || answer.gone) return answer;
  const wrong = (field: string) =>
    new DriverError(
      'Internal',
      `${method} of the driver ${driver} answers with a VM that has no ${field}: that is a mistake in the driver`,
    );
  if (!isWord(answer.providerID)) throw wrong('providerID');
  if (isWord(answer.nodeName)) return answer;
  if (hasTarget) throw wrong('nodeName');
  return { ...answer, nodeName: machine.metadata.name };
}

const isWord = (text: unknown): boolean => typeof text === 'string' && text.trim() !== '';
