import type { VirtualSpec } from '../../../schemas/providers/virtual.ts';
import { BORN, machine, machineClass } from '../../../test/fixtures/objects.ts';
import type { MachineRequest } from '../sdk/driver.ts';
import type { Vm } from './vm.ts';

/** A request about the machine `herd/<name>` of the class `herd/small`; its signal never aborts. */
export function requestFor(name: string, providerSpec: VirtualSpec = {}): MachineRequest {
  const uid = `uid-${name}`;
  return {
    machine: machine({ metadata: { name, uid } }),
    token: uid,
    class: machineClass({ providerSpec }),
    secret: {},
    incarnation: 'here',
    signal: new AbortController().signal,
  };
}

/** The VM of the machine `herd/m`, made just now and running. */
export const vmWith = (changes: Partial<Vm> = {}): Vm => ({
  uid: 'uid-m',
  machine: 'herd/m',
  nodeName: 'm',
  class: 'herd/small',
  cluster: '',
  incarnation: 'here',
  address: '10.0.0.1',
  created: BORN,
  state: 'Running',
  broken: false,
  spec: {},
  node: { labels: {}, capacity: {} },
  tags: {},
  ...changes,
});
