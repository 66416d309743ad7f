import { expect, test } from 'bun:test';
import { resources } from '../../schemas/kinds.ts';
import { settle } from './settling.fixture.ts';
import { setStage } from './stage.fixture.ts';

// hack/decisions/0051 S2
test('what a set does again and again to no avail is slowed down', async () => {
  const stage = await setStage();
  await settle(stage);
  const spec = { template: { spec: { drainTimeout: '1h0m0s' } } };
  await stage.api.patch(resources.machineSets, { namespace: 'herd', name: 'set' }, { type: 'merge', body: { spec } });
  await stage.catchUp();
  const after: unknown[] = [];
  // The cache of machines never shows what was written.
  for (let passes = 0; passes < 7; passes++) after.push((await stage.controller.reconcile('herd/set')).after);
  expect(after).toEqual([0, 0, 0, 0, 0, 1_000, 1_000]);
});
