import type { ListedVm, MachineRequest, RunningDriver, VmAnswer } from '../../../controller/drivers/sdk/driver.ts';
import { DriverError } from '../../../controller/drivers/sdk/errors.ts';
import { type Api, isConflict } from '../../../controller/runtime/client/api.ts';
import { nodes } from '../../../controller/runtime/k8s/core.ts';

/** A VM as the cloud knows it. */
export interface CloudVm extends ListedVm {
  /** Name of the Machine that it was made for, and of its Node. */
  machineName: string;
}

const PREFIX = 'cloud:///';
/** The driver of all classes of `herd.makeClass`. */
const NAME = 'virtual';

/**
 * A cloud in the test's own memory: whatever servers a controller loses, it can still make and delete VMs here. Their
 * Nodes register straight with the target, as kubelets do.
 */
export class Cloud {
  /** By the UID of their Machine. */
  readonly vms = new Map<string, CloudVm>();
  readonly #target: Api;
  readonly #told: (what: 'VM made' | 'VM gone', name: string) => void;

  constructor(target: Api, told: (what: 'VM made' | 'VM gone', name: string) => void) {
    this.#target = target;
    this.#told = told;
  }

  /** A driver of this cloud, for one controller. */
  driver(): RunningDriver {
    return {
      name: NAME,
      providerSpec: { type: 'object' },
      start: async () => {},
      createMachine: (request) => this.#create(request),
      deleteMachine: async (request) => this.#delete(request),
      getMachineStatus: async (request) => this.#answer(request),
      listMachines: async () => [...this.vms.values()],
    };
  }

  /** A VM that no Machine is there for, and that looks like ours in all else. */
  stray(name: string): void {
    const [sample] = this.vms.values();
    if (!sample) throw new Error('the cloud has no VM whose incarnation a stray one could have');
    this.vms.set(name, { ...sample, providerID: PREFIX + name, machineName: name, created: 0 });
  }

  async #create(request: MachineRequest): Promise<VmAnswer> {
    const { machine, incarnation, token } = request;
    const { name } = machine.metadata;
    if (!this.vms.has(token)) {
      this.vms.set(token, { providerID: PREFIX + token, machineName: name, created: Date.now(), incarnation });
      this.#told('VM made', name);
    }
    await this.#register(name, PREFIX + token);
    return { providerID: PREFIX + token, nodeName: name };
  }

  #delete(request: MachineRequest): object {
    const vm = this.vms.get(idOf(request));
    if (vm && this.vms.delete(idOf(request))) this.#told('VM gone', vm.machineName);
    return {};
  }

  #answer(request: MachineRequest): VmAnswer {
    const vm = this.vms.get(idOf(request));
    if (!vm) throw new DriverError('NotFound', `there is no VM ${idOf(request)}`);
    return { providerID: vm.providerID, nodeName: vm.machineName };
  }

  async #register(name: string, providerID: string): Promise<void> {
    const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: new Date().toISOString() }];
    const node = { metadata: { name }, spec: { providerID }, status: { conditions } };
    await this.#target.create(nodes, node).catch((error) => {
      if (!isConflict(error) && error.reason !== 'AlreadyExists') throw error;
    });
  }
}

/** The VM that the machine names; before that is recorded, the one of its token. */
const idOf = ({ machine, token }: MachineRequest): string => machine.spec?.providerID?.slice(PREFIX.length) || token;
