import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { controllerOf, type KubeObject, type Resource } from '../../controller/runtime/k8s/object.ts';
import { resources } from '../../schemas/kinds.ts';
import { type ControllerProcess, startWorking } from './support/controllerprocess.ts';
import { controlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';

setDefaultTimeout(180_000);
const herd = new Herd();
let controller: ControllerProcess;

beforeAll(async () => {
  const cluster = await controlPlane();
  herd.settle(cluster, await cluster.namespace('restored'));
  controller = await startWorking(herd);
});

beforeEach(() => herd.makeClass('small'));

afterAll(async () => {
  await herd.clear();
  expect(await controller.stop()).toBe(0);
  await herd.leave();
});

/** As a backup brings an object back: it has lost its owners. */
async function disown<T extends KubeObject>(resource: Resource<T>, object: T): Promise<void> {
  await herd.api.patch(resource, object.metadata, { type: 'merge', body: { metadata: { ownerReferences: null } } });
}

const uidsOf = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata.uid).sort();
const isOwned = (object: KubeObject) => controllerOf(object) !== undefined;

describe('hack/spec/cluster-api.md F2 14: a controller that starts after a backup was restored', () => {
  test('adopts what it finds before it makes anything', async () => {
    await herd.makeDeployment({ replicas: 3 });
    const [machines, sets] = [await herd.whenRunning(3), await herd.sets()];
    await controller.stop();
    for (const machine of machines) await disown(resources.machines, machine);
    for (const set of sets) await disown(resources.machineSets, set);
    const { resourceVersion } = await herd.api.list(resources.machines, { namespace: herd.namespace });
    controller = await startWorking(herd);
    await herd.eventually('all to be owned again', async () =>
      [...(await herd.machines()), ...(await herd.sets())].every(isOwned),
    );
    await herd.kubectl('scale', 'mcd/pool', '--replicas=4');
    await herd.whenRunning(4);
    expect(uidsOf(await herd.sets())).toEqual(uidsOf(sets));
    expect(await madeSince(resourceVersion)).toBe(1);
    expect(uidsOf(await herd.machines())).toEqual(expect.arrayContaining(uidsOf(machines)));
  });
});

/** How many Machines were made after this version. */
async function madeSince(resourceVersion: string): Promise<number> {
  const options = {
    namespace: herd.namespace,
    resourceVersion,
    timeoutSeconds: 1,
    signal: new AbortController().signal,
  };
  let made = 0;
  for await (const { type } of herd.api.watch(resources.machines, options)) if (type === 'ADDED') made += 1;
  return made;
}
