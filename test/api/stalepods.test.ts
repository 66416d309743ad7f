import { afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { pods } from '../../controller/runtime/k8s/workload.ts';
import { resources } from '../../schemas/kinds.ts';
import { type Cluster, controlPlane } from './support/controlplane.ts';
import type { Herd } from './support/herd.ts';
import { unheard } from './support/proxyfaults.ts';
import { allow, Between } from './support/serverproxies.ts';
import { Workload } from './support/workload.ts';

/** hack/decisions/0051 L40: pods that the API server has, and the controller's watch of pods does not show yet. */

setDefaultTimeout(240_000);

const PATIENCE = { timeoutMs: 60_000, everyMs: 100 };
/** Longer than it takes to list the pods again, twice. */
const LOOK_MS = 12_000;

let cluster: Cluster;
let between: Between;
let herd: Herd;
let workload: Workload;
let name: string;

beforeAll(async () => {
  cluster = await controlPlane();
  await allow({ control: cluster, target: cluster });
});

/** A Machine that runs, of whose pods nobody tells the controller from now on. */
beforeEach(async () => {
  between = await Between.of({ control: cluster, target: cluster }, []);
  herd = between.herd;
  workload = new Workload(herd);
  name = `m-${herd.namespace}`;
  await herd.kubectl('create', 'serviceaccount', 'default');
  await herd.makeClass('small');
  await herd.apply(herd.alone(name, 'small'));
  await herd.eventually('it to run', async () => (await herd.phases())['Running'] === 1, PATIENCE);
  between.break(['target'], unheard('pods'));
});

afterEach(() => between.end());

const leave = () => herd.kubectl('delete', `mc/${name}`, '--wait=false');
const gone = () => herd.kubectl('wait', `mc/${name}`, '--for=delete', '--timeout=60s');
const currentStep = async () =>
  (await herd.api.get(resources.machines, { namespace: herd.namespace, name })).status?.currentStep;
const pod = () => herd.api.get(pods, { namespace: herd.namespace, name: 'late' });
const isLeaving = async () => (await pod()).metadata.deletionTimestamp !== undefined;
/** What a kubelet does once a pod has ended. */
const end = () => herd.kubectl('delete', 'pod', 'late', '--grace-period=0', '--force');
const isStale = async () => (await currentStep())?.reason === 'PodCacheStale';

test('the VM stays until such a pod was evicted and has ended', async () => {
  await workload.run('late', { node: name });
  await leave();
  await herd.eventually('the drain to wait for the pod', isStale, PATIENCE);
  expect((await currentStep())?.message).toContain(
    `lists 1 pods of the Node that its watch has not shown yet, such as ${herd.namespace}/late`,
  );
  await Bun.sleep(LOOK_MS);
  expect([between.cloud.vms.size, await isStale(), await isLeaving()]).toEqual([1, true, false]);
  between.mend();
  await herd.eventually('the pod to be evicted', isLeaving, PATIENCE);
  expect(between.cloud.vms.size).toBe(1);
  await end();
  await gone();
  expect(between.cloud.vms.size).toBe(0);
});

test('it goes as soon as the API server has none, whatever the watch shows', async () => {
  await workload.run('late', { node: name });
  await workload.run('daemon', { node: name, owner: 'DaemonSet' });
  await leave();
  await herd.eventually('the drain to wait for the pod', isStale, PATIENCE);
  await end();
  await gone();
  expect(between.cloud.vms.size).toBe(0);
});

// hack/decisions/0028 T72
test('it goes at once where the API server has none but such as have ended', async () => {
  await workload.run('late', { node: name });
  const body = { status: { phase: 'Failed', reason: 'Evicted' } };
  await herd.api.patch(pods, (await pod()).metadata, { type: 'merge', body }, { subresource: 'status' });
  await leave();
  await gone();
  expect([between.cloud.vms.size, await isLeaving()]).toEqual([0, false]);
});
