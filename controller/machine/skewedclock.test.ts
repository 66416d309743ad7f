import { expect, test } from 'bun:test';
import { at } from '../../test/fixtures/objects.ts';
import { Life } from './life.fixture.ts';

// hack/decisions/0051 L18

test.each([
  ['as ours', 0],
  ['a few seconds ahead', 5],
  ['an hour ahead', 3_600],
  ['an hour behind', -3_600],
])('a VM whose Node is not ready is asked about once a minute, with a clock that is %s', async (_what, skew) => {
  const life = new Life();
  await life.pass(30);
  await life.register();
  await life.pass(60);
  const lastTransitionTime = at(90 + skew);
  await life.register({ status: { conditions: [{ type: 'Ready', status: 'False', lastTransitionTime }] } });
  const before = life.called['getMachineStatus']?.length ?? 0;
  await life.pass(540);
  expect((life.called['getMachineStatus']?.length ?? 0) - before).toBeWithin(8, 22);
});
