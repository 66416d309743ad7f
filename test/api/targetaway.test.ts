import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { Api } from '../../controller/runtime/client/api.ts';
import { systemClock as clock } from '../../controller/runtime/clock.ts';
import { nodes } from '../../controller/runtime/k8s/core.ts';
import { resources } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';
import { type ControllerProcess, startController } from './support/controllerprocess.ts';
import { type Cluster, controlPlane, type OwnCluster, ownControlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';

const RBAC = 'charts/drover/files/rbac/controller.yaml';
/** Longer than an outage of these flags takes to be one, and both cores may be busy. */
const HEALTH_MS = 12_000;
const PATIENCE = { timeoutMs: 90_000, everyMs: 200 };

setDefaultTimeout(240_000);

let control: Cluster;
let target: OwnCluster;
let controller: ControllerProcess;
let herd: Herd;

beforeAll(async () => {
  [control, target] = await Promise.all([controlPlane(), ownControlPlane()]);
  herd = new Herd().settle(control, await control.namespace('targetaway'));
  // VMs stand in the process, so that the cloud is there while the target is not.
  await herd.makeClass('quiet', { heartbeat: '0s' });
  expect((await target.kubectl(['apply', '-f', RBAC])).code).toBe(0);
  const there = await target.serviceAccount('drover-system', 'drover-controller');
  const flags = [
    `--target-kubeconfig=${there.kubeconfig}`,
    '--virtual-store=memory',
    '--machine-safety-apiserver-statuscheck-timeout=3s',
    '--machine-safety-apiserver-statuscheck-period=1s',
  ];
  controller = await startController({ cluster: control, namespace: herd.namespace, flags });
});

afterAll(async () => {
  target.apiserver.thaw();
  await controller.kill();
  await target.end();
});

const get = (name: string): Promise<Machine> => herd.api.get(resources.machines, { namespace: herd.namespace, name });
const reasonOf = async (name: string) => (await get(name)).status?.currentStep?.reason;
const metric = async (line: string) => (await (await fetch(`${controller.url}/metrics`)).text()).includes(line);

/** A Machine whose Node runs, and will not be heard of by itself. */
async function run(name: string): Promise<void> {
  const machine = herd.alone(name, 'quiet');
  const spec = { ...(machine['spec'] as object), healthTimeout: `${HEALTH_MS / 1000}s` };
  await herd.apply({ ...machine, spec });
  await herd.kubectl('wait', `mc/${name}`, '--for=jsonpath={.status.currentStatus.phase}=Running', '--timeout=30s');
}

async function fallIll(name: string): Promise<void> {
  const conditions = [{ type: 'Ready', status: 'False', lastTransitionTime: new Date().toISOString() }];
  const api = new Api({ connection: target.admin, clock });
  await api.patch(nodes, { name }, { type: 'merge', body: { status: { conditions } } }, { subresource: 'status' });
  await herd.kubectl('wait', `mc/${name}`, '--for=jsonpath={.status.currentStatus.phase}=Unknown', '--timeout=45s');
}

test('hack/spec/mcm.md 13.1, 13.2: while the target is away nothing goes, and new VMs are made; back, the clocks begin anew', async () => {
  await run('ill');
  await run('leaver');
  await fallIll('ill');
  target.apiserver.freeze();
  const away = Date.now();
  await herd.kubectl('delete', 'mc/leaver', '--wait=false');
  await herd.apply(herd.alone('fresh', 'quiet'));
  await herd.eventually(
    'the outage to show',
    async () => (await reasonOf('ill')) === 'TargetClusterUnreachable',
    PATIENCE,
  );
  await herd.eventually('the health time-out to pass', async () => Date.now() > away + HEALTH_MS + 3_000, PATIENCE);
  await herd.eventually('a new VM', async () => Boolean((await get('fresh')).spec?.providerID), PATIENCE);
  expect((await get('ill')).status?.currentStatus?.phase).toBe('Unknown');
  // A write that was on its way has its time for an answer first.
  await herd.eventually(
    'the leaver to be held',
    async () => (await reasonOf('leaver')) === 'TargetClusterUnreachable',
    PATIENCE,
  );
  expect(await metric('mcm_machine_controller_frozen 1\n')).toBe(true);
  expect((await controller.lines()).filter((line) => line.includes('"msg":"held"')).length).toBeGreaterThan(0);

  target.apiserver.thaw();
  await herd.eventually('the outage to end', async () => Boolean((await get('ill')).status?.clocksFrom), PATIENCE);
  const over = Date.parse((await get('ill')).status?.clocksFrom ?? '');
  await herd.kubectl('wait', 'mc/leaver', '--for=delete', '--timeout=60s');
  await herd.eventually(
    'the ill one to be given up',
    async () => (await reasonOf('ill')) === 'HealthTimedOut',
    PATIENCE,
  );
  expect(Date.now() - over).toBeGreaterThanOrEqual(HEALTH_MS);
  expect(await metric('mcm_machine_controller_frozen 0\n')).toBe(true);
  const events = await herd.events();
  for (const reason of ['TargetClusterUnreachable', 'OutageOver']) expect(events).toContain(reason);
});
