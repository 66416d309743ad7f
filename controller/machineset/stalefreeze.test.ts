import { expect, test } from 'bun:test';
import { resources } from '../../schemas/kinds.ts';
import { timestamp } from '../runtime/k8s/object.ts';
import { settle } from './settling.fixture.ts';
import { setStage } from './stage.fixture.ts';

// hack/decisions/0051 S39
test('a set whose freeze has ended, unseen here, gets no label that would be taken for one that somebody put on', async () => {
  const stage = await setStage();
  await settle(stage);
  const ref = { namespace: 'herd', name: 'set' };
  const tell = (status: object) =>
    stage.api.patch(resources.machineSets, ref, { type: 'merge', body: { status } }, { subresource: 'status' });
  const lastTransitionTime = timestamp(stage.clock.now());
  const frozen = { type: 'Frozen', status: 'True', reason: 'OverShootingReplicaCount', lastTransitionTime };
  await tell({ machineSetCondition: [frozen] });
  await stage.catchUp();
  await tell({ machineSetCondition: null });
  const reason = await stage.controller.reconcile('herd/set').catch((error) => error.reason);
  expect((await stage.set()).metadata.labels?.['freeze']).toBeUndefined();
  expect(reason).toBe('Conflict');
  await settle(stage);
  expect((await stage.set()).metadata.labels?.['freeze']).toBeUndefined();
});
