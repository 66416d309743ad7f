import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { until } from '../../hack/lib/until.ts';
import { resources } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';
import { type ControllerProcess, startController } from '../api/support/controllerprocess.ts';
import type { OwnCluster } from '../api/support/controlplane.ts';
import { Herd } from '../api/support/herd.ts';
import { clusterFor } from './tenants.ts';

setDefaultTimeout(240_000);

// hack/decisions/0028 W10

/** Machines of a tenant whose one half fails and whose other half hangs. */
const FLOOD = 2_000;
/** So few of them may be begun with before the one machine of another tenant runs, and before it is gone again. */
const BEFORE = { running: FLOOD / 2, gone: (3 * FLOOD) / 4 };
/** Writes are scarce: the first one for each of the flood takes most of a minute. */
const SCARCE = ['--kube-api-qps=50', '--kube-api-burst=50', '--leader-elect=false'];
const AT_ONCE = 50;

const flood = new Herd();
const quiet = new Herd();
let cluster: OwnCluster;
let controller: ControllerProcess | undefined;

beforeAll(async () => {
  cluster = await clusterFor({ 'a-flood': flood, quiet });
  const faultOf = (answer: string) => ({ faults: { calls: [{ method: 'createMachine', answer }] } });
  await flood.makeClass('fails', faultOf('Unavailable'));
  await flood.makeClass('hangs', faultOf('Hang'));
  await quiet.makeClass('small');
  const names = Array.from({ length: FLOOD }, (_, at) => `m-${at}`);
  const make = async () => {
    for (let name = names.pop(); name !== undefined; name = names.pop())
      await flood.api.create(resources.machines, manifest(flood, name));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, make));
  await quiet.apply(quiet.alone('one', 'small'));
}, 240_000);

afterAll(async () => {
  await controller?.stop();
  await cluster?.end();
}, 180_000);

/** Every other machine of the flood fails, the others hang. */
function manifest(herd: Herd, name: string): Machine {
  const className = Number(name.slice(2)) % 2 === 0 ? 'fails' : 'hangs';
  const { metadata, ...rest } = herd.alone(name, className);
  return { ...rest, metadata: { ...metadata, namespace: herd.namespace } } as unknown as Machine;
}

/** How many of the flood the controller has begun with: each gets its finalizer before any gets more. */
const begun = async (): Promise<number> =>
  (await flood.machines()).filter(({ metadata }) => metadata.finalizers).length;

test('one tenant’s 2,000 machines that fail or hang hold up neither the machine of another nor its deletion', async () => {
  controller = await startController({ cluster, namespace: '', flags: SCARCE });
  const one = async () => (await quiet.machines())[0];
  const often = { timeoutMs: 120_000, everyMs: 100 };
  await until('the one machine to run', async () => (await one())?.status?.currentStatus?.phase === 'Running', often);
  expect(await begun()).toBeLessThan(BEFORE.running);
  await quiet.kubectl('delete', 'mc/one', '--wait=false');
  await until('the one machine to be gone', async () => (await one()) === undefined, often);
  expect(await begun()).toBeLessThan(BEFORE.gone);
  // Nothing of this is won by leaving the flood aside.
  const before = await begun();
  await until('the flood to go on', async () => (await begun()) > before, often);
});
