import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { ListedVm, MachineRequest, RunningDriver } from '../../controller/drivers/sdk/driver.ts';
import { DriverError } from '../../controller/drivers/sdk/errors.ts';
import { controlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';
import { type OwnController, startInProcess } from './support/inprocesscontroller.ts';

/** hack/decisions/0051 L81, L101: a VM that its cloud shows only when its machine, the last one of its class, has gone. */

// A note is as coarse as a minute.
setDefaultTimeout(240_000);

const FLAGS = ['--leader-elect=false', '--orphan-grace-period=20s', '--machine-safety-orphan-vms-period=1s'];
const PATIENCE = { timeoutMs: 120_000, everyMs: 200 };

/** A cloud that tells of its VM only once it is to, and answers each deletion in the same words. */
class LateCloud {
  vm: ListedVm | undefined;
  isShown = false;

  driver(): RunningDriver {
    return {
      name: 'virtual',
      providerSpec: { type: 'object' },
      start: async () => {},
      createMachine: async ({ machine, incarnation, token }: MachineRequest) => {
        const { name } = machine.metadata;
        this.vm = { providerID: `virtual:///${token}`, machineName: name, created: Date.now(), incarnation };
        return { providerID: this.vm.providerID, nodeName: name };
      },
      getMachineStatus: async () => {
        if (!this.vm || !this.isShown) throw new DriverError('NotFound', 'there is no such VM');
        return { providerID: this.vm.providerID, nodeName: this.vm.machineName };
      },
      deleteMachine: async () => {
        if (this.isShown) this.vm = undefined;
        return {};
      },
      listMachines: async () => (this.vm && this.isShown ? [this.vm] : []),
    };
  }
}

const herd = new Herd();
let controller: OwnController | undefined;

beforeAll(async () => {
  const cluster = await controlPlane();
  herd.settle(cluster, await cluster.namespace('coming'));
});

afterEach(() => controller?.end());

afterAll(() => herd.leave());

const classes = async () => (await herd.kubectl('get', 'machineclass', '-o', 'name')).trim();

test('is deleted before its class goes, whichever controller leads then', async () => {
  const cloud = new LateCloud();
  controller = await startInProcess(herd, cloud.driver(), { flags: FLAGS });
  await herd.makeClass('small');
  await herd.apply(herd.alone('m', 'small'));
  const recorded = async () => (await herd.machines()).some(({ spec }) => spec?.providerID !== undefined);
  await herd.eventually('its VM to be recorded', recorded, PATIENCE);
  await herd.kubectl('delete', 'machine/m', 'machineclass/small', '--wait=false');
  await herd.kubectl('wait', 'machine/m', '--for=delete', '--timeout=60s');
  controller.end();
  expect(await classes()).toContain('small');

  controller = await startInProcess(herd, cloud.driver(), { flags: FLAGS });
  cloud.isShown = true;
  await herd.eventually('the VM to be deleted', async () => cloud.vm === undefined, PATIENCE);
  await herd.eventually('the class to go', async () => (await classes()) === '', PATIENCE);
  expect(await herd.events()).toContain('VMExpected');
});
