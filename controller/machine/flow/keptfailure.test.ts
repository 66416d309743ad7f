import { expect, test } from 'bun:test';
import { at, BORN, inPhase } from '../../../test/fixtures/objects.ts';
import { statusOf } from '../status/status.ts';
import { plan } from './flow.ts';
import { idle, recorded, view } from './view.fixture.ts';

// hack/decisions/0051 U21
test.each([
  [
    'that is kept tells the cluster-autoscaler of no failure, or it would be removed again and again',
    'when-failed',
    false,
  ],
  ['that nobody asked to keep tells it', 'false', true],
])('a Machine that is lost, and %s', (_what, preserve, tells) => {
  const lost = inPhase('Failed', 0, {
    ...recorded,
    metadata: { ...recorded.metadata, annotations: { 'node.machine.sapcloud.io/preserve': preserve } },
    status: { failureReason: 'VMNotFound', failureMessage: 'gone' },
  });
  const seen = view({ machine: lost, vm: { at: 'absent', since: BORN }, calls: { ...idle, askedAt: BORN + 60_000 } });
  const status = statusOf(seen, plan(seen), at(60));
  expect(status).toMatchObject({ currentStatus: { phase: 'Failed' }, failureReason: 'VMNotFound' });
  expect(status?.failureMessage !== undefined).toBe(tells);
});
