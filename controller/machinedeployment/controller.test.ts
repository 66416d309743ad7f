import { expect, test } from 'bun:test';
import { at, BORN, machineDeployment } from '../../test/fixtures/objects.ts';
import type { Gate } from '../safety/outage/gate.ts';
import { RefusedNodes } from './flow/rolloutnodes.ts';
import { revised, seeing } from './flow/seeing.fixture.ts';
import { statusOf } from './flow/status.ts';
import { setOf, view } from './flow/view.fixture.ts';

const shut = (away: 'control' | 'target'): Gate => ({ shut: { unreachable: away, since: BORN }, judgesFrom: 0 });
const older = machineDeployment({ spec: { template: { spec: { class: { name: 'old' } } } } });

// hack/decisions/0051 S9: each pass asked for the next one at once, for as long as the outage lasted.
test('a deadline that is over while the control API server is unreachable keeps nobody busy', async () => {
  const spec = { progressDeadlineSeconds: 30 };
  const sets = [
    setOf(older, 'old', { wants: 3 }),
    setOf(machineDeployment(), 'new', { wants: 1, available: 0, others: 1 }),
  ];
  const status = statusOf(view(machineDeployment({ spec }), sets), at(0));
  const deployment = machineDeployment({ spec, status, metadata: { annotations: revised('2') } });
  const { pass } = seeing(deployment, sets, { gate: shut('control') });
  for (let passes = 0; passes < 3; passes++) expect((await pass()).after ?? Infinity).toBeGreaterThan(1_000);
});

test.each([
  ['control', 0],
  ['target', 1],
] as const)('while the %s API server is unreachable it is sent %i statuses', async (away, count) => {
  const deployment = machineDeployment({ metadata: { annotations: revised('1') } });
  const { pass, statuses } = seeing(deployment, [setOf(deployment, 'new', { wants: 3 })], { gate: shut(away) });
  await pass();
  expect(statuses).toHaveLength(count);
});

// hack/decisions/0051 S16: nobody calls it when the API server was away for a blink only.
test('a scale-down that an outage holds is looked at again by itself', async () => {
  const deployment = machineDeployment({ spec: { replicas: 1 }, metadata: { annotations: revised('1') } });
  const { pass } = seeing(deployment, [setOf(deployment, 'new', { wants: 3, scaledFor: [3, 4] })], {
    gate: shut('target'),
  });
  expect((await pass()).after).toBe(60_000);
});

// hack/decisions/0051 S20
test('a Recreate looks again for machines that were asked for and may still come', async () => {
  const deployment = machineDeployment({ spec: { strategy: { type: 'Recreate' } } });
  const { pass } = seeing(deployment, [setOf(older, 'old', { wants: 0 })], { births: { count: () => 1 } });
  expect((await pass()).after).toBe(1_000);
});

// hack/decisions/0051 S16
test('a Node whose change was refused is tried again, though nothing happens', () => {
  const refused = new RefusedNodes();
  expect(refused.retryIn(['a'], 0)).toBe(Infinity);
  refused.add('a', 1_000);
  refused.add('b', 2_000);
  expect(refused.retryIn(['b', 'a', 'c'], 5_000)).toBe(596_000);
  expect(refused.has('a', 601_000)).toBe(false);
  expect(refused.retryIn(['a'], 601_000)).toBe(Infinity);
});

// hack/decisions/0051 S2: what is taken back at once, or never comes true, was written at full speed for ever.
test('what a deployment does again and again to no avail is slowed down', async () => {
  const deployment = machineDeployment();
  const { pass } = seeing(deployment, [setOf(deployment, 'new', { wants: 3 })]);
  const after: unknown[] = [];
  for (let passes = 0; passes < 7; passes++) after.push((await pass()).after);
  expect(after).toEqual([0, 0, 0, 0, 0, 1_000, 1_000]);
});
