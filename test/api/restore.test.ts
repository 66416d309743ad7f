import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { Api } from '../../controller/runtime/client/api.ts';
import { systemClock as clock } from '../../controller/runtime/clock.ts';
import { type ConfigMap, namespaces, nodes } from '../../controller/runtime/k8s/core.ts';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { LABEL_NODE } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import { type ControllerProcess, startController } from './support/controllerprocess.ts';
import { type OwnCluster, ownControlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';
import { restore, uidsOf } from './support/restore.ts';
import { EAGER, swept } from './support/sweeps.ts';

/**
 * A backup of all objects is restored into a fresh API server, where all have new UIDs, while VMs and Nodes go on elsewhere:
 * no VM is made, none is forgotten, none is swept (hack/decisions/0040). The tests build on each other.
 */

setDefaultTimeout(180_000);

const SIZE = 3;

/** Where the herd was made; its VMs and Nodes stay here. */
let home: OwnCluster;
/** Where it is restored, again and again. */
let fresh: OwnCluster;
const before = new Herd();
const after = new Herd();
let controller: ControllerProcess;
/** Id of the installation that made the VMs. */
let id: string;
let made: ConfigMap[];
let nodeUids: string[];

const namesOf = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata.name).sort();
const nodeUidsNow = async () => uidsOf((await before.api.list(nodes)).items);

/** A controller whose Machines are in the fresh cluster, and whose Nodes are at home. */
async function startThere(...flags: string[]): Promise<void> {
  const { kubeconfig } = await home.serviceAccount('drover-system', 'drover-controller');
  const elsewhere = [`--target-kubeconfig=${kubeconfig}`, ...EAGER, ...flags];
  controller = await startController({ cluster: fresh, namespace: after.namespace, flags: elsewhere });
  await controller.working();
}

/** All Machines run with the VMs and Nodes that there were, and nothing else is there. */
async function expectTheSame(): Promise<Machine[]> {
  await after.eventually(
    'the herd to run as it did',
    async () => Bun.deepEquals(await after.phases(), { Running: SIZE }),
    { timeoutMs: 60_000, everyMs: 100 },
  );
  // Time for sweeps, of which two would be enough.
  await sweepsOf(4);
  const machines = await after.machines();
  const vms = await before.vms();
  expect(uidsOf(vms)).toEqual(uidsOf(made));
  expect(vms.map(({ data }) => data?.['machineUID']).sort()).toEqual(uidsOf(machines));
  expect(vms.map(({ data }) => data?.['incarnation'])).toEqual(made.map(() => id));
  expect(await nodeUidsNow()).toEqual(nodeUids);
  return machines;
}

/** Waits until so many more sweeps have been made. */
const sweepsOf = (count: number) => swept(controller, `${after.namespace}/small`, count);

const eventsThere = () => after.events();

beforeAll(async () => {
  [home, fresh] = await Promise.all([ownControlPlane(), ownControlPlane()]);
  before.settle(home, await home.namespace('moved'));
  after.settle(fresh, before.namespace);
  await new Api({ connection: fresh.admin, clock }).create(namespaces, { metadata: { name: before.namespace } });
  id = (await before.api.get(namespaces, { name: 'kube-system' })).metadata.uid ?? '';
  controller = await startController({ cluster: home, namespace: before.namespace, flags: EAGER });
  await controller.working();
  await before.makeClass('small');
  await before.makeDeployment({ replicas: SIZE });
  await before.whenRunning(SIZE);
  [made, nodeUids] = [await before.vms(), await nodeUidsNow()];
  await controller.kill();
}, 120_000);

afterAll(async () => {
  await controller?.kill();
  await Promise.all([home?.end(), fresh?.end()]);
});

describe('a backup of all objects in a fresh API server', () => {
  test('with the id of the installation that it had keeps every VM and every Node, and marks them anew', async () => {
    await restore(before.api, after.api, { status: true });
    await startThere(`--installation-id=${id}`);
    const machines = await expectTheSame();
    expect(uidsOf(machines)).not.toEqual(uidsOf(await before.machines()));
    expect((await eventsThere()).split(' ').filter((reason) => reason === 'ClaimVM').length).toBe(SIZE);
    await controller.kill();
  });

  test('without status does so, too', async () => {
    await restore(after.api, after.api, { status: false });
    await startThere(`--installation-id=${id}`);
    await expectTheSame();
    await controller.kill();
  });

  test('in which no Machine had written down its VM yet finds each by its name, and makes none', async () => {
    const forget = (object: KubeObject): KubeObject => {
      const { [LABEL_NODE]: _, ...labels } = object.metadata.labels ?? {};
      const { spec, ...rest } = object as Machine;
      return object.kind === 'Machine' || (spec && 'class' in spec)
        ? ({
            ...rest,
            spec: { ...spec, providerID: undefined },
            metadata: { ...object.metadata, labels },
          } as KubeObject)
        : object;
    };
    await restore(after.api, after.api, { status: false, of: forget });
    expect((await after.machines()).map(({ spec }) => spec?.providerID)).toEqual([undefined, undefined, undefined]);
    await startThere(`--installation-id=${id}`);
    await expectTheSame();
    await controller.kill();
  });

  test('under another id touches nothing and sweeps nothing, says which id to set, and is well once it is', async () => {
    await restore(after.api, after.api, { status: true });
    await startThere();
    const isRefused = ({ status }: Machine) => status?.currentStep?.reason === 'VMClaimedByAnother';
    await after.eventually('all claims to be refused', async () => (await after.machines()).every(isRefused));
    await sweepsOf(4);
    const [one] = await after.machines();
    expect(one?.status?.errorMessage).toContain(`installation ${id}): it is left alone`);
    expect(one?.status?.errorMessage).toContain('set --installation-id to the id that it had');
    expect(uidsOf(await before.vms())).toEqual(uidsOf(made));
    expect(await nodeUidsNow()).toEqual(nodeUids);
    await controller.kill();
    await startThere(`--installation-id=${id}`);
    expect(namesOf(await expectTheSame())).toEqual(namesOf(await before.machines()));
    expect(await controller.stop()).toBe(0);
  });
});
