import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { until } from '../../hack/lib/until.ts';
import { resources } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';
import { type ControllerProcess, startController } from '../api/support/controllerprocess.ts';
import type { OwnCluster } from '../api/support/controlplane.ts';
import { Herd } from '../api/support/herd.ts';
import { clusterFor } from './tenants.ts';

setDefaultTimeout(180_000);

// hack/decisions/0028 T15

/** Classes of a tenant in which no VM ever comes, and machines of each. */
const FLOOD = { classes: 40, each: 4 };
/** So many creations may be in flight, and so many of one namespace, whose classes always leave one to the next. */
const CALLS = { all: 20, half: 9 };

const flood = new Herd();
const quiet = new Herd();
let cluster: OwnCluster;
let controller: ControllerProcess | undefined;

beforeAll(async () => {
  cluster = await clusterFor({ 'a-flood': flood, quiet });
  await quiet.makeClass('small');
  for (let at = 0; at < FLOOD.classes; at++) {
    const { namespace } = flood;
    const providerSpec = { faults: { calls: [{ method: 'createMachine', answer: 'Hang' }] } };
    await flood.api.create(resources.machineClasses, {
      apiVersion: 'machine.sapcloud.io/v1alpha1',
      kind: 'MachineClass',
      metadata: { name: `hangs-${at}`, namespace },
      provider: 'virtual',
      providerSpec,
    });
    for (let name = 0; name < FLOOD.each; name++) {
      const { metadata, ...rest } = flood.alone(`m-${at}-${name}`, `hangs-${at}`);
      await flood.api.create(resources.machines, {
        ...rest,
        metadata: { ...metadata, namespace },
      } as unknown as Machine);
    }
  }
}, 180_000);

afterAll(async () => {
  await controller?.stop();
  await cluster?.end();
}, 180_000);

/** How many creations are in flight, as the controller's metrics tell. */
async function creations(): Promise<number> {
  const text = await (await fetch(`${controller?.url}/metrics`)).text();
  return Number(/^drover_driver_calls_in_flight\{method="createMachine"\} (\d+)$/m.exec(text)?.[1] ?? 0);
}

const waiting = async (): Promise<number> =>
  (await flood.machines()).filter(({ status }) => status?.currentStep?.reason === 'WaitingForDriverSlot').length;

test('a tenant of many classes takes half of the driver calls, and holds up no other, nor what it deletes itself', async () => {
  const flags = [`--max-driver-calls=${CALLS.all}`, '--leader-elect=false'];
  controller = await startController({ cluster, namespace: '', flags });
  const often = { timeoutMs: 60_000, everyMs: 100 };
  const all = FLOOD.classes * FLOOD.each;
  await until('the flood to wait', async () => (await waiting()) === all - CALLS.half, often);
  expect(await creations()).toBe(CALLS.half);
  await quiet.apply(quiet.alone('one', 'small'));
  const phase = async () => (await quiet.machines())[0]?.status?.currentStatus?.phase;
  await until('the machine of another to run', async () => (await phase()) === 'Running', often);
  expect(await creations()).toBe(CALLS.half);
  await flood.kubectl('delete', 'mc/m-39-3', '--timeout=30s');
  await quiet.kubectl('delete', 'mc/one', '--timeout=30s');
  expect(await waiting()).toBeGreaterThan(all / 2);
});
