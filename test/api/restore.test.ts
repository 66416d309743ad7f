import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { Api } from '../../controller/runtime/api.ts';
import { systemClock as clock } from '../../controller/runtime/clock.ts';
import { type ConfigMap, namespaces, nodes } from '../../controller/runtime/core.ts';
import type { KubeObject, Resource } from '../../controller/runtime/object.ts';
import { LABEL_NODE } from '../../schemas/keys.ts';
import { resources } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';
import { type OwnCluster, ownControlPlane } from './cluster.ts';
import { type ControllerProcess, startController } from './controller.ts';
import { Herd } from './herd.ts';

/**
 * A backup of all objects is restored into a fresh API server, where all have new UIDs, while VMs and Nodes go on elsewhere:
 * no VM is made, none is forgotten, none is swept (hack/decisions 0040). The tests build on each other.
 */

setDefaultTimeout(120_000);

/** Sweeps are as eager as they can be. */
const EAGER = ['--leader-elect=false', '--machine-safety-orphan-vms-period=1s', '--orphan-grace-period=1s'];
const SIZE = 3;
const KINDS: ReadonlyArray<Resource<KubeObject>> = [
  resources.machineClasses,
  resources.machineDeployments,
  resources.machineSets,
  resources.machines,
];

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

const uidsOf = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata.uid ?? '').sort();
const namesOf = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata.name).sort();
const nodeUidsNow = async () => uidsOf((await before.api.list(nodes)).items);

/** What a backup brings back of an object: without UID and owners, with or without its status. */
function backedUp({ metadata, ...object }: KubeObject & { status?: unknown }, change: Change): KubeObject {
  const { name, namespace, labels, annotations, finalizers } = metadata;
  const { status, ...rest } = object;
  const copy = {
    ...rest,
    ...(change.status && { status }),
    metadata: { name, namespace, labels, annotations, finalizers },
  };
  return change.of?.(copy as KubeObject) ?? (copy as KubeObject);
}

/** How a restore differs from the backup. */
interface Change {
  status: boolean;
  of?(object: KubeObject): KubeObject;
}

/** Brings all objects of one place into another, where there are none of them. */
async function restore(from: Api, to: Api, change: Change): Promise<void> {
  const kept = await Promise.all(KINDS.map(async (kind) => ({ kind, ...(await from.list(kind)) })));
  for (const { kind, items } of kept) await wipe(to, kind, items);
  for (const { kind, items } of kept) {
    for (const item of items) {
      const copy = backedUp(item, change);
      const there = await to.create(kind, copy);
      const { status } = copy as { status?: object };
      if (status) await to.patch(kind, there.metadata, { type: 'merge', body: { status } }, { subresource: 'status' });
    }
  }
}

/** As if the API server were fresh: nothing is left, and nobody was asked. */
async function wipe(api: Api, kind: Resource<KubeObject>, items: readonly KubeObject[]): Promise<void> {
  for (const { metadata } of items) {
    const gone = (error: { status?: number }) => {
      if (error.status !== 404) throw error;
    };
    await api.patch(kind, metadata, { type: 'merge', body: { metadata: { finalizers: null } } }).catch(gone);
    await api.delete(kind, metadata).catch(gone);
  }
}

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
async function sweepsOf(count: number): Promise<void> {
  const series = `drover_orphan_sweeps_total{class="${after.namespace}/small",outcome="Swept"}`;
  const sweeps = async () => {
    const text = await (await fetch(`${controller.url}/metrics`)).text();
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(series))
        ?.split(' ')
        .at(-1) ?? 0,
    );
  };
  const from = await sweeps();
  await after.eventually('sweeps', async () => (await sweeps()) >= from + count, { timeoutMs: 60_000, everyMs: 200 });
}

const eventsThere = () => after.kubectl('get', 'events.events.k8s.io', '-o', 'jsonpath={.items[*].reason}');

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
    expect((await eventsThere()).split(' ').filter((reason) => reason === 'ClaimVm').length).toBe(SIZE);
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
    const isRefused = ({ status }: Machine) => status?.deciding?.reason === 'VMClaimedByAnother';
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
