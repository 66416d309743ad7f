import type {
  ClassRequest,
  ListedVm,
  MachineRequest,
  RunningDriver,
  VmAnswer,
} from '../../controller/drivers/sdk/driver.ts';
import { DriverError } from '../../controller/drivers/sdk/errors.ts';
import type { Clock } from '../../controller/runtime/clock.ts';

import type { Chance } from './chance.ts';
import type { Breach, Cloud } from './cloud.ts';
import { CloudApi, type CloudHabits } from './cloudapi.ts';
import type { FaultRates } from './faultrates.ts';
import type { Lifetime } from './lifetime.ts';
import type { Trace } from './trace.ts';
import { Wire } from './wire.ts';

/** Methods that are called about one machine. */
export type CallMethod =
  | 'createMachine'
  | 'deleteMachine'
  | 'getMachineStatus'
  | 'initializeMachine'
  | 'updateMachine'
  | 'retainMachine'
  | 'claimMachine';

/** Looks over the shoulder of a driver. */
export interface CallWatcher {
  /** The controller calls. */
  called(method: CallMethod, request: MachineRequest): void;
  /** The controller hears of all VMs. */
  listed(vms: readonly ListedVm[]): void;
  /** The controller hears how the VM stands. */
  heard(reported: ReportedVm, request: MachineRequest): void;
}

/** What an answer says of a VM; an error says nothing, but for NotFound of those that look for it. */
export type ReportedVm = 'present' | 'absent' | 'deleted' | 'unknown' | 'several';

/** What a driver of the simulated cloud is made of. */
export interface SimDriverParts {
  cloud: Cloud;
  habits: CloudHabits;
  breach: Breach | undefined;
  clock: Clock;
  chance: Chance;
  trace: Trace;
  faultRates(): FaultRates;
  who: string;
  lifetime: Lifetime;
  watcher: CallWatcher;
}

/** What a class may say; size and tags of a VM may change while it runs. */
const properties = {
  size: { type: 'integer', 'x-drover-hot-update': true },
  tags: { type: 'object', 'x-drover-hot-update': true },
} as const;

const providerSpec = { type: 'object', properties, additionalProperties: false } as const;

/** A driver of the simulated cloud, as one process has it. */
export function simDriver(parts: SimDriverParts): RunningDriver {
  const { habits, breach } = parts;
  const wire = new Wire(parts);
  const api = new CloudApi(parts);
  const calls =
    <T>(method: CallMethod, effect: (request: MachineRequest) => T, reported: ReportedVm = 'present') =>
    (request: MachineRequest) =>
      wire.call(request, { method, effect: () => effect(request), reported: () => reported });
  const status = calls('getMachineStatus', (request) => api.status(request));
  const remove = calls('deleteMachine', (request) => api.delete(request), 'deleted');
  return {
    name: 'sim',
    capabilities: ['retain', 'update'],
    providerSpec,
    start: async () => {},
    createMachine: calls('createMachine', (request) => api.create(known(request))),
    deleteMachine: (request) => remove(request).then(() => ({})),
    retainMachine: calls('retainMachine', (request) => api.retain(request)),
    ...(habits.marks && {
      claimMachine: (request) =>
        wire.call(request, { method: 'claimMachine', effect: () => api.claim(request), reported: () => 'present' }),
    }),
    ...(!habits.listsOnly && { getMachineStatus: breach === 'silence is absence' ? denying(status) : status }),
    ...(habits.initializes && { initializeMachine: calls('initializeMachine', (request) => api.initialize(request)) }),
    updateMachine(request) {
      const effect = () => api.update(request, parts.faultRates().driverError);
      return wire.call(request, { method: 'updateMachine', effect, reported: () => 'present' });
    },
    listMachines(request) {
      if (!isAboutMachine(request)) return wire.list(request, () => api.listAll());
      return wire.call(request, {
        method: 'getMachineStatus',
        fails: 'listMachines',
        effect: () => api.list(),
        reported: (vms) => reportedBy(vms, request),
      });
    },
    getVolumeIDs: async () => [],
  };
}

/** The request; throws a DriverError that names the first field of its class that the driver does not have. */
function known(request: MachineRequest): MachineRequest {
  const { providerSpec } = request.class;
  const unknown = Object.keys(providerSpec ?? {}).find((key) => !Object.hasOwn(properties, key));
  if (unknown)
    throw new DriverError('InvalidArgument', `providerSpec.${unknown}: there is no such field, leave it out`);
  return request;
}

/** Takes every error of a status call for the answer that there is no VM. */
const denying =
  (status: (request: MachineRequest) => Promise<VmAnswer>) =>
  (request: MachineRequest): Promise<VmAnswer> =>
    status(request).catch(() => {
      throw new DriverError('NotFound', 'nothing was heard of the VM');
    });

/** Without a status method the list is asked about a machine. */
const isAboutMachine = (request: ClassRequest): request is MachineRequest => 'machine' in request;

/** A namesake of another installation says nothing of the machine, nor does one that was left on purpose by another before it. */
const reportedBy = (vms: readonly ListedVm[], { machine, incarnation }: MachineRequest): ReportedVm => {
  const isLeft = ({ retained, providerID }: ListedVm) => retained && providerID !== machine.spec?.providerID;
  const isOurs = (vm: ListedVm) => (vm.incarnation ?? incarnation) === incarnation && !isLeft(vm);
  return vms.some((vm) => vm.machineName === machine.metadata.name && isOurs(vm)) ? 'present' : 'absent';
};
