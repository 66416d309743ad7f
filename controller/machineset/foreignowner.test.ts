import { beforeEach, describe, expect, test } from 'bun:test';
import { resources } from '../../schemas/kinds.ts';
import { machineSet } from '../../test/fixtures/objects.ts';
import type { OwnerReference } from '../runtime/k8s/object.ts';
import { scale, settle } from './settling.fixture.ts';
import { type SetStage, setStage } from './stage.fixture.ts';

// hack/decisions/0028 T45

const kind = { apiVersion: 'machine.sapcloud.io/v1alpha1', kind: 'Machine' };
const goesFirst = { 'machinepriority.machine.sapcloud.io': '0' };

/** A Machine of namespace `flock`, with the labels that the set of `herd` selects. */
function plant({ api }: SetStage, name: string, owner: Partial<OwnerReference>) {
  const labels = machineSet().spec?.template?.metadata?.labels;
  const ownerReferences = [
    { apiVersion: 'no.such/v1', kind: 'Nothing', name: 'x', uid: 'x', controller: true, ...owner },
  ];
  const metadata = { name, namespace: 'flock', labels, annotations: { ...goesFirst }, ownerReferences };
  return api.create(resources.machines, { ...kind, metadata, spec: { class: { kind: 'MachineClass', name: 'none' } } });
}

describe('the machines of a set, beside one of another namespace', () => {
  let stage: SetStage;
  const own = async () => {
    const { items } = await stage.api.list(resources.machines, { namespace: 'herd' });
    return items.filter(({ metadata }) => !metadata.deletionTimestamp).map(({ metadata }) => metadata.name);
  };
  const foreign = async () => (await stage.api.list(resources.machines, { namespace: 'flock' })).items;

  beforeEach(async () => {
    stage = await setStage();
    await stage.api.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'flock' } } });
  });

  test.each(['none/herd', 'herd/none', 'herd/uid/uid-set', 'named/herd/MachineSet/set', 'herd/named/MachineSet/set'])(
    'are made, and it is told nothing, though its owner has the UID "%s"',
    async (uid) => {
      for (const at of [0, 1, 2]) await plant(stage, `other-${at}`, { uid });
      const set = await stage.set();
      await plant(stage, 'namesake', { ...kind, kind: 'MachineSet', name: set.metadata.name, uid });
      const before = await foreign();
      await settle(stage);
      expect(await own()).toHaveLength(3);
      expect(await foreign()).toEqual(before);
    },
  );

  test('stay as many as are wanted, though its owner has the UID of the set', async () => {
    await settle(stage);
    const before = await own();
    const { uid = '' } = (await stage.set()).metadata;
    for (const at of [0, 1, 2]) await plant(stage, `other-${at}`, { uid });
    const planted = await foreign();
    await settle(stage);
    expect(await own()).toEqual(before);
    await scale(stage, 4);
    await settle(stage);
    expect(await own()).toHaveLength(4);
    expect(await foreign()).toEqual(planted);
  });
});
