import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { MachineRequest, RunningDriver } from '../../controller/drivers/sdk/driver.ts';
import { DriverError } from '../../controller/drivers/sdk/errors.ts';
import { controlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';
import { type OwnController, startInProcess } from './support/inprocesscontroller.ts';

/** Deletions that a driver does nothing to end, and that end all the same. */

setDefaultTimeout(180_000);

const FLAGS = ['--leader-elect=false', '--orphan-grace-period=5s'];
const PATIENCE = { timeoutMs: 90_000, everyMs: 200 };

/** A cloud of one VM, which does what it is told in the words of the test. */
class Cloud {
  vm: string | undefined;
  isMute = false;
  refuses = false;
  createMs = 0;

  driver(): RunningDriver {
    return {
      name: 'virtual',
      providerSpec: { type: 'object' },
      start: async () => {},
      createMachine: ({ machine, token, signal }: MachineRequest) =>
        new Promise((resolve, reject) => {
          signal.addEventListener('abort', () => reject(new DriverError('Canceled', 'context canceled')));
          setTimeout(() => {
            if (signal.aborted) return;
            this.vm = `virtual:///${token}`;
            resolve({ providerID: this.vm, nodeName: machine.metadata.name });
          }, this.createMs);
        }),
      getMachineStatus: async ({ machine }) => {
        if (this.isMute) throw new DriverError('PermissionDenied', 'you may not look');
        if (!this.vm) throw new DriverError('NotFound', 'there is no such VM');
        return { providerID: this.vm, nodeName: machine.metadata.name };
      },
      deleteMachine: async () => {
        if (!this.vm && this.refuses) throw new DriverError('Unavailable', 'its disk cannot be detached');
        this.vm = undefined;
        return {};
      },
      listMachines: async () => [],
    };
  }
}

const herd = new Herd();
let controller: OwnController | undefined;
let cloud: Cloud;

beforeAll(async () => {
  const cluster = await controlPlane();
  herd.settle(cluster, await cluster.namespace('deadends'));
  await herd.makeClass('small');
});

afterEach(() => controller?.end());

afterAll(() => herd.leave());

const lead = async () => {
  controller?.end();
  controller = await startInProcess(herd, cloud.driver(), { flags: FLAGS });
};

/** A machine whose VM is recorded. */
async function recorded(name: string): Promise<void> {
  cloud = new Cloud();
  await lead();
  await herd.apply(herd.alone(name, 'small'));
  const isRecorded = async () => (await herd.machines()).some(({ spec }) => spec?.providerID !== undefined);
  await herd.eventually('its VM to be recorded', isRecorded, PATIENCE);
}

const leave = (name: string) => herd.kubectl('delete', `machine/${name}`, '--wait=false');
const gone = (name: string) => herd.kubectl('wait', `machine/${name}`, '--for=delete', '--timeout=120s');

describe('a machine goes', () => {
  // hack/decisions/0051 L127
  test('whose VM somebody deleted in the cloud, where the driver fails to delete what is not there', async () => {
    await recorded('vanished');
    cloud.vm = undefined;
    cloud.refuses = true;
    await leave('vanished');
    await gone('vanished');
  });

  // hack/decisions/0051 L128
  test('by force under another leader whose driver answers no question, with its VM', async () => {
    await recorded('mute');
    cloud.isMute = true;
    await lead();
    await leave('mute');
    await herd.whenDecided('mute', 'PermissionDenied');
    expect(cloud.vm).toBeDefined();
    await herd.kubectl('label', 'machine/mute', 'force-deletion=True');
    await gone('mute');
    expect(cloud.vm).toBeUndefined();
  });

  // hack/decisions/0051 L125
  test('soon, with the VM that was being made for long when it was deleted', async () => {
    cloud = new Cloud();
    cloud.createMs = 13_000;
    await lead();
    await herd.apply(herd.alone('slow', 'small'));
    await herd.whenDecided('slow', 'DriverCallInProgress');
    await Bun.sleep(10_500);
    await leave('slow');
    await gone('slow');
    expect(cloud.vm).toBeUndefined();
  });
});
