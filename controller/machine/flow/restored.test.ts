import { describe, expect, test } from 'bun:test';
import { at, BORN, machine } from '../../../test/fixtures/objects.ts';
import { statusOf } from '../status/status.ts';
import { begun, busy, cordoned, drainFrom, judge, leaver } from './drain.fixture.ts';
import { deadlineOf, deletionStatus } from './drain.ts';
import { plan } from './flow.ts';
import { restartedClocks } from './outage.ts';
import { idle, readyNode, recorded, view, vm } from './view.fixture.ts';

/** hack/decisions/0028 R2: a Machine that was restored with the status of a deletion leaves by a drain all the same. */

const record = {
  startedAt: at(-7_200),
  deadline: at(-10),
  endedAt: at(-7_000),
  pods: [{ name: 'a/b', result: 'Gone' }],
};
const old = { startedAt: at(-7_200), drain: record, detachDeadline: at(600) };

describe('a Machine that leaves, with the record of another deletion,', () => {
  const again = leaver({ status: { deletion: old } });

  test('is cordoned and drained', () => {
    expect(judge({ machine: again, node: readyNode, drain: busy() })).toEqual(['Drained', 'act CordonNode']);
    expect(judge({ machine: again, drain: busy() })).toEqual(['Drained', 'act StartDrain']);
    expect(deadlineOf(again)).toBe(Infinity);
  });

  test('has clocks of its own, and nothing of the old ones', () => {
    const { outcome } = plan(view({ machine: again, node: cordoned, drain: busy() }));
    expect(outcome).toMatchObject({
      action: {
        deletion: {
          startedAt: at(30),
          detachDeadline: null,
          drain: { startedAt: at(60), deadline: at(7_260), endedAt: null, pods: null },
        },
      },
    });
  });

  test('waits for no volumes by the old clocks, nor are these begun anew', () => {
    expect(judge({ machine: again })).toEqual(['VMDeleted', 'act DeleteVM']);
    const late = view({ machine: again, gate: { judgesFrom: BORN, steppedAt: BORN } });
    expect(restartedClocks(late)).toBeUndefined();
  });
});

test('a Machine that lives loses the record of a deletion; one that leaves keeps its own', () => {
  const restored = machine({ ...recorded, status: { currentStatus: { phase: 'Running' }, deletion: old } });
  const seen = view({ machine: restored, vm, node: readyNode, calls: { ...idle, askedAt: BORN + 55_000 } });
  expect(deletionStatus(seen)).toEqual({ deletion: undefined });
  const status = statusOf(seen, { step: 'Reconciled', outcome: { kind: 'pass' } }, at(60));
  expect(status).toMatchObject({ deletion: undefined });
  expect(deletionStatus(view({ ...begun, drain: busy() }))).toEqual({});
  expect(deadlineOf(leaver({ status: drainFrom(60) }))).toBe(BORN + 7_260_000);
});
