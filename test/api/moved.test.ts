import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { Api } from '../../controller/runtime/client/api.ts';
import { systemClock as clock } from '../../controller/runtime/clock.ts';
import { type ConfigMap, namespaces, nodes } from '../../controller/runtime/k8s/core.ts';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { ANNOTATION_PAUSED } from '../../schemas/keys.ts';
import { type ControllerProcess, startController } from './support/controllerprocess.ts';
import { type OwnCluster, ownControlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';
import { restore, uidsOf } from './support/restore.ts';
import { EAGER, swept } from './support/sweeps.ts';

/**
 * hack/decisions/0028 M6: one namespace is moved from a control plane that goes on to another one that has its own id; a second
 * namespace has the same names in both. VMs and Nodes stay where they are. The tests build on each other.
 */

setDefaultTimeout(180_000);

const SIZE = 2;

/** Where the herds were made, and where VMs and Nodes stay. */
let home: OwnCluster;
/** The control plane that takes in the namespace `moved`. */
let other: OwnCluster;
const before = { moved: new Herd(), stays: new Herd() };
const after = { moved: new Herd(), stays: new Herd() };
let source: ControllerProcess;
let taker: ControllerProcess;
/** Ids of the two installations. */
let ids: { home: string; other: string };
let vmsMade: string[];
let nodesMade: string[];

const idOf = async (api: Api) => (await api.get(namespaces, { name: 'kube-system' })).metadata.uid ?? '';
const marksOf = (vms: readonly ConfigMap[]) => [...new Set(vms.map(({ data }) => data?.['incarnation']))];
const nodeUids = async () => uidsOf((await before.moved.api.list(nodes)).items);

/** Nothing is lost by the move, whoever sweeps. */
async function expectAllThere(): Promise<void> {
  expect(uidsOf([...(await before.moved.vms()), ...(await before.stays.vms())])).toEqual(vmsMade);
  expect(await nodeUids()).toEqual(nodesMade);
}

/** The copy of an object is not paused as its original is. */
function unpaused(object: KubeObject): KubeObject {
  const { [ANNOTATION_PAUSED]: _, ...annotations } = object.metadata.annotations ?? {};
  return { ...object, metadata: { ...object.metadata, annotations } };
}

async function startTaker(...flags: string[]): Promise<void> {
  const { kubeconfig } = await home.serviceAccount('drover-system', 'drover-controller');
  const elsewhere = [`--target-kubeconfig=${kubeconfig}`, ...EAGER, ...flags];
  taker = await startController({ cluster: other, namespace: '', flags: elsewhere });
  await taker.working();
}

const allRefused = (herd: Herd) => async () =>
  (await herd.machines()).every(({ status }) => status?.currentStep?.reason === 'VMClaimedByAnother');

beforeAll(async () => {
  [home, other] = await Promise.all([ownControlPlane(), ownControlPlane()]);
  for (const which of ['moved', 'stays'] as const) {
    before[which].settle(home, await home.namespace(which));
    after[which].settle(other, before[which].namespace);
    await new Api({ connection: other.admin, clock }).create(namespaces, {
      metadata: { name: after[which].namespace },
    });
  }
  ids = { home: await idOf(before.moved.api), other: await idOf(after.moved.api) };
  source = await startController({ cluster: home, namespace: '', flags: EAGER });
  await source.working();
  for (const herd of Object.values(before)) {
    await herd.makeClass('small');
    await herd.makeDeployment({ replicas: SIZE });
    await herd.whenRunning(SIZE);
  }
  vmsMade = uidsOf([...(await before.moved.vms()), ...(await before.stays.vms())]);
  nodesMade = await nodeUids();
}, 120_000);

afterAll(async () => {
  await Promise.all([source?.kill(), taker?.kill()]);
  await Promise.all([home?.end(), other?.end()]);
});

describe('a namespace that is moved to a control plane with an id of its own', () => {
  test('is left alone until somebody says where it comes from, and the message tells how (0028 M6)', async () => {
    await before.moved.kubectl('annotate', 'mcd,mcs,mc', '--all', `${ANNOTATION_PAUSED}=`);
    await restore(before.moved.api, after.moved.api, { status: true, of: unpaused });
    await startTaker();
    for (const herd of Object.values(after)) await herd.eventually('all to be refused', allRefused(herd));
    const [one] = await after.moved.machines();
    expect(one?.status?.errorMessage).toContain(`--former-installation-ids=${after.moved.namespace}=${ids.home}`);
    await expectAllThere();
    expect(marksOf(await before.moved.vms())).toEqual([ids.home]);
    await taker.kill();
  });

  test('keeps every VM and Node once it is said; of no other namespace is a VM taken (0028 M6)', async () => {
    await startTaker(`--former-installation-ids=${after.moved.namespace}=${ids.home}`);
    const isClaimed = async () => Bun.deepEquals(marksOf(await before.moved.vms()), [ids.other]);
    await after.moved.eventually('the VMs to be marked anew', isClaimed, { timeoutMs: 60_000, everyMs: 100 });
    await after.moved.eventually('all to run', async () =>
      Bun.deepEquals(await after.moved.phases(), { Running: SIZE }),
    );
    await swept(taker, `${after.moved.namespace}/small`, 4);
    await expectAllThere();
    expect((await before.moved.vms()).map(({ data }) => data?.['machineUID']).sort()).toEqual(
      uidsOf(await after.moved.machines()),
    );
    await after.stays.eventually('the others to be refused', allRefused(after.stays));
    expect(marksOf(await before.stays.vms())).toEqual([ids.home]);
  });

  test('is let go by the control plane that it came from, without its VMs and Nodes (0028 M6)', async () => {
    const { moved } = before;
    const withoutFinalizers = ['--type=merge', '-p', '{"metadata":{"finalizers":null}}'];
    for (const kind of ['mcd', 'mcs', 'mc']) {
      const names = await moved.kubectl('get', kind, '-o', 'name');
      await moved.kubectl('patch', ...names.trim().split('\n'), ...withoutFinalizers);
      await moved.kubectl('delete', kind, '--all', '--timeout=30s');
    }
    await swept(source, `${moved.namespace}/small`, 4);
    await expectAllThere();
    expect(await before.stays.phases()).toEqual({ Running: SIZE });
  });

  test('takes its VMs and Nodes with it where it is now', async () => {
    await after.moved.kubectl('delete', 'mcd', '--all', '--timeout=60s');
    await after.moved.eventually('its VMs to go', async () => (await before.moved.vms()).length === 0, {
      timeoutMs: 60_000,
      everyMs: 100,
    });
    expect((await before.stays.vms()).length).toBe(SIZE);
    expect(await taker.stop()).toBe(0);
    expect(await source.stop()).toBe(0);
  });
});
