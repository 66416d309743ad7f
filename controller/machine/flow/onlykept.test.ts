import { expect, test } from 'bun:test';
import { at, machine } from '../../../test/fixtures/objects.ts';
import { statusOf } from '../status/status.ts';
import { plan } from './flow.ts';
import { recorded, view } from './view.fixture.ts';

/** hack/decisions/0051 U31: it was told as if the deletion had just begun. */
test('of a Machine that only a finalizer of somebody else keeps the last words stay, beside who keeps it', () => {
  const before = {
    lastOperation: { type: 'Delete', state: 'Processing', description: 'Initiate machine object finalizer removal' },
    conditions: [{ type: 'Drained', status: 'True', reason: 'Drained' }],
    currentStatus: { phase: 'Terminating', lastUpdateTime: at(50) },
  } as const;
  const finalizers = ['example.com/audit', 'example.com/bill'];
  const metadata = { ...recorded.metadata, deletionTimestamp: at(50), finalizers };
  const kept = machine({ ...recorded, metadata, status: before as never });
  const message = 'kept by finalizer example.com/audit, example.com/bill';
  const seen = view({ machine: kept });
  expect(statusOf(seen, plan(seen), at(60))).toEqual({
    ...kept.status,
    currentStep: { name: 'FinalizerAdded', reason: 'FinalizerMissing', message },
  } as never);
});

test('one that went so fast that nothing was told of it has MCM’s last words', () => {
  const metadata = { ...recorded.metadata, deletionTimestamp: at(50), finalizers: ['example.com/audit'] };
  const status = { currentStatus: { phase: 'Running', lastUpdateTime: at(5) } } as const;
  const seen = view({ machine: machine({ ...recorded, metadata, status }) });
  expect(statusOf(seen, plan(seen), at(60))).toMatchObject({
    currentStatus: { phase: 'Terminating', lastUpdateTime: at(60) },
    lastOperation: { type: 'Delete', state: 'Processing', description: 'Initiate machine object finalizer removal' },
  });
});
