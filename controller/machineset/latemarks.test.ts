import { describe, expect, test } from 'bun:test';
import { resources } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';
import { machine, machineSet } from '../../test/fixtures/objects.ts';
import type { Keeping } from '../runtime/client/api.ts';
import { listedOf } from './actions.ts';
import { failure, scale, settle, staying } from './settling.fixture.ts';
import { type SetStage, setStage } from './stage.fixture.ts';

const MACHINES = 'GET /apis/machine.sapcloud.io/v1alpha1/namespaces/herd/machines';
const MARK = { 'machine.sapcloud.io/delete-machine': 'now' };

/** Three machines; the API server has a mark on the last in the order, and a smaller size, of which the caches show the size alone. */
async function scaledDown(): Promise<{ stage: SetStage; marked: string; asked: () => number }> {
  const stage = await setStage();
  await settle(stage);
  let asked = 0;
  stage.refuse((request) => {
    asked += request === MACHINES ? 1 : 0;
    return undefined;
  });
  const marked = (await staying(stage)).sort().at(-1) ?? '';
  const ref = { namespace: 'herd', name: marked };
  await stage.api.patch(resources.machines, ref, { type: 'merge', body: { metadata: { annotations: MARK } } });
  await scaled(stage, 2);
  return { stage, marked, asked: () => asked };
}

async function scaled(stage: SetStage, replicas: number): Promise<void> {
  await scale(stage, replicas);
  stage.caches.sets.put(await stage.set());
}

// hack/decisions/0051 U27: a machine in use went, and the idle one stayed.
describe('a set that shrinks before its cache shows which machine was marked for that', () => {
  test('takes that one, for which it asks once', async () => {
    const { stage, marked, asked } = await scaledDown();
    await stage.controller.reconcile('herd/set');
    expect(asked()).toBe(1);
    expect(await staying(stage)).not.toContain(marked);
    await settle(stage);
    expect((await staying(stage)).length).toBe(2);
  });

  test('takes none as long as nobody tells, says so, and goes on once somebody does', async () => {
    const { stage, marked } = await scaledDown();
    stage.refuse((request) => (request === MACHINES ? 'nobody may look' : undefined));
    await expect(stage.controller.reconcile('herd/set')).rejects.toThrow('nobody may look');
    stage.refuse(() => undefined);
    expect((await staying(stage)).length).toBe(3);
    expect(await failure(stage)).toMatch(/^FailedDelete: .*nobody may look/);
    expect(stage.told).toContain('FailedDelete');
    await settle(stage);
    expect(await staying(stage)).not.toContain(marked);
    expect([(await staying(stage)).length, await failure(stage)]).toEqual([2, undefined]);
  });

  test('takes none if it is to grow again meanwhile', async () => {
    const { stage } = await scaledDown();
    const before = await stage.set();
    stage.refuse((request) => {
      if (request === MACHINES)
        stage.caches.sets.put({ ...before, spec: { ...before.spec, replicas: 3 } } as typeof before);
      return undefined;
    });
    expect(await stage.controller.reconcile('herd/set')).toEqual({ after: 0 });
    expect((await staying(stage)).length).toBe(3);
  });
});

// hack/decisions/0028 T77: many sets may ask at once, with selectors that take in all machines of their namespace
test('of what the API server lists the marks of the set’s own machines are kept, and no class that is noted on them', async () => {
  const set = machineSet();
  const { uid = '', name } = set.metadata;
  const owned = (controller: string): Machine => {
    const one = machine();
    const ownerReferences = [{ apiVersion: 'v1', kind: 'MachineSet', name, uid: controller, controller: true }];
    const annotations = { ...MARK, 'protected.drover.dev/machine-class': 'x'.repeat(10_000) };
    return { ...one, metadata: { ...one.metadata, uid: `of-${controller}`, ownerReferences, annotations } };
  };
  const kept: Machine[] = [];
  const list = async (_: unknown, { keep = (one) => one }: Keeping<Machine>) => {
    kept.push(...[uid, 'another'].map((one) => keep(owned(one))));
    return { items: kept, resourceVersion: '1' };
  };
  const found = await listedOf({ machineWrites: { api: { list }, resource: resources.machines } as never }, set);
  expect([...found.keys()]).toEqual([`of-${uid}`]);
  expect(found.get(`of-${uid}`)?.metadata.annotations).toEqual(MARK);
  expect(JSON.stringify(kept).length).toBeLessThan(1_000);
});
