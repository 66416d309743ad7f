import { virtual } from '../../../schemas/providers/index.ts';
import type { CallFault } from '../../../schemas/providers/virtual.ts';
import { ApiError } from '../../runtime/client/errors.ts';
import type { Clock } from '../../runtime/clock.ts';
import { keyOf } from '../../runtime/k8s/object.ts';
import type { ClassRequest, DriverMethod, MachineRequest, RunningDriver } from '../sdk/driver.ts';
import { type Code, DriverError, toDriverError } from '../sdk/errors.ts';
import { Cloud } from './cloud.ts';
import { Faults } from './faults.ts';
import { Sites, type SitesParts } from './sites.ts';
import { specOrNone } from './spec.ts';
import { uidOf } from './vm.ts';

/** A driver that simulates VMs and their Nodes, and whatever goes wrong with them (README.md). */
export function virtualDriver(parts: SitesParts): RunningDriver {
  const sites = new Sites(parts);
  const cloud = new Cloud({ ...parts, nodeOf: (cluster, name) => sites.nodeOf(cluster, name) });
  const faults = new Faults();
  const call = faultyCalls(faults, parts.clock);
  return {
    ...virtual,
    start: (signal) => sites.start(signal),
    createMachine: (request) => call('createMachine', request, () => cloud.create(request)),
    async deleteMachine(request) {
      const answer = await call('deleteMachine', request, () => cloud.delete(request));
      faults.forget(keyOf(request.machine));
      return answer;
    },
    getMachineStatus: (request) => call('getMachineStatus', request, () => cloud.status(request)),
    initializeMachine: (request) => call('initializeMachine', request, () => cloud.initialize(request)),
    listMachines: (request) => call('listMachines', request, () => cloud.list(request)),
    retainMachine: (request) => call('retainMachine', request, () => cloud.retain(request)),
    claimMachine: (request) => call('claimMachine', request, () => cloud.claim(request)),
    isVmId: (providerID) => uidOf(providerID) !== undefined,
    updateMachine: (request) => call('updateMachine', request, () => cloud.update(request)),
  };
}

/** Makes calls that end as the class's faults want it, and always with a DriverError when they fail. */
function faultyCalls(faults: Faults, clock: Clock) {
  return async <T>(
    method: DriverMethod,
    request: ClassRequest | MachineRequest,
    work: () => Promise<T>,
  ): Promise<T> => {
    const { signal, class: machineClass } = request;
    const machine = 'machine' in request ? keyOf(request.machine) : undefined;
    const what = `${method} of ${machine ?? `class ${keyOf(machineClass)}`}`;
    try {
      signal.throwIfAborted();
      const fault = faults.strike(specOrNone(machineClass.providerSpec), { method, machine });
      if (!fault) return await work();
      const done = hasEffect(fault) ? await work() : undefined;
      if (fault.answer === 'Hang') await clock.sleep(Number.POSITIVE_INFINITY, signal);
      throw errorOf(fault, { what, known: done ?? {} });
    } catch (error) {
      throw callError(error, { what, signal });
    }
  };
}

/** Uninitialized is said of a VM that is there. */
const hasEffect = ({ answer, effect }: CallFault): boolean => effect === true || answer === 'Uninitialized';

function errorOf({ answer }: CallFault, { what, known }: { what: string; known: DriverError['known'] }): DriverError {
  const code = answer === 'Hang' ? 'DeadlineExceeded' : answer;
  return new DriverError(
    code,
    `${what} fails because the providerSpec says so`,
    code === 'Uninitialized' ? { known } : {},
  );
}

/** What the target cluster's refusals mean to the one who called the driver; anything else is Internal. */
const codeOfStatus: Readonly<Record<number, Code>> = {
  0: 'Unavailable',
  401: 'Unauthenticated',
  403: 'PermissionDenied',
  409: 'Aborted',
  429: 'Unavailable',
  500: 'Unavailable',
  502: 'Unavailable',
  503: 'Unavailable',
  504: 'Unavailable',
};

/** Whatever ended a call, as the DriverError that the caller gets; a call whose signal aborted is DeadlineExceeded. */
export function callError(thrown: unknown, { what, signal }: { what: string; signal: AbortSignal }): DriverError {
  if (thrown instanceof DriverError) return thrown;
  if (signal.aborted) return new DriverError('DeadlineExceeded', `${what} was cut short`, { cause: thrown });
  if (!(thrown instanceof ApiError)) return toDriverError(thrown);
  const code = thrown.reason === 'DeadlineExceeded' ? 'DeadlineExceeded' : (codeOfStatus[thrown.status] ?? 'Internal');
  return new DriverError(code, `${what}: ${thrown.message}`, { cause: thrown });
}
