import { describe, expect, test } from 'bun:test';
import { at, BORN } from '../../../test/fixtures/objects.ts';
import { begun, busy, drainFrom, judge, labelled, leaver, type Row } from './drain.fixture.ts';
import { plan } from './flow.ts';
import { idle, readyNode, view } from './view.fixture.ts';

// hack/decisions/0051 L123: a Node was uncordoned, or registered anew, between its drain and the deletion of its VM.

/** The drain ended after ten seconds, and the Node takes pods again. */
const ended = (more: object = {}) => drainFrom(40, { endedAt: at(50), ...more });
const reopened = { machine: leaver({ status: ended() }), node: readyNode, drain: busy() };
const failed = { method: 'deleteMachine', code: 'PermissionDenied', message: 'no', retryAt: 0, count: 1 } as const;

describe('a drain that has ended', () => {
  const rows: Row[] = [
    ['is over while the Node is cordoned', { ...reopened, node: begun.node }, 'VMDeleted', 'act DeleteVM'],
    ['goes on where the Node takes pods again', reopened, 'Drained', 'act RestartDrain'],
    [
      'also after a deletion of the VM that failed',
      { ...reopened, calls: { ...idle, failure: failed as never } },
      'Drained',
      'act RestartDrain',
    ],
    [
      'and is carried through after that',
      { ...reopened, machine: begun.machine, node: begun.node, calls: { ...idle, failure: failed as never } },
      'Drained',
      'act EvictPods',
    ],
    [
      'is over where the VM is being deleted',
      { ...reopened, calls: { ...idle, deletion: { at: BORN, heard: true } } },
      'VMDeleted',
      'act GetVMStatus',
    ],
    [
      'is over where it had all of its time',
      { ...reopened, machine: leaver({ status: ended({ endedAt: at(7_240) }) }) },
      'VMDeleted',
      'act DeleteVM',
    ],
    [
      'goes on where the Node had been lost, and is back',
      { ...reopened, machine: leaver({ status: ended({ deadline: at(50) }) }) },
      'Drained',
      'act RestartDrain',
    ],
    [
      'is over where it was forced by label',
      { ...reopened, machine: leaver({ ...labelled('true'), status: ended({ deadline: at(50) }) }) },
      'VMDeleted',
      'act DeleteVM',
    ],
    [
      'goes on, by force, where it had ended by itself',
      { ...reopened, machine: leaver({ ...labelled('true'), status: ended() }) },
      'Drained',
      'act RestartDrain',
    ],
    [
      'is over where an annotation excludes the machine from drains',
      {
        ...reopened,
        machine: leaver({
          metadata: { annotations: { 'machine.cluster.x-k8s.io/exclude-node-draining': '' } },
          status: ended(),
        }),
      },
      'VMDeleted',
      'act DeleteVM',
    ],
  ];
  test.each(rows)('%s', (_what, facts, step, reason) => expect(judge(facts)).toEqual([step, reason]));
});

/** What is written when the drain of this record goes on, long after it ended. */
function written(record: object) {
  const machine = leaver({ status: { deletion: { ...ended(record).deletion, detachDeadline: at(90) } } });
  const { outcome } = plan(view({ ...reopened, machine, now: Date.parse(at(9_000)) }));
  return (outcome.kind === 'act' ? outcome.action : {}) as { deletion?: { drain: object } };
}

test('it has its whole time again, and so have volumes, but not for ever', () => {
  expect(written({})).toEqual({
    do: 'recordDeletion',
    deletion: {
      startedAt: at(30),
      detachDeadline: null,
      detachElapsedSeconds: null,
      heldSince: null,
      drain: { startedAt: at(9_000), deadline: at(16_200), endedAt: null, pods: null, elapsedSeconds: 10 },
    },
  } as never);
  // After three times its setting it has what is left of it alone.
  expect(written({ elapsedSeconds: 21_600 }).deletion?.drain).toEqual({
    startedAt: at(8_990),
    deadline: at(16_190),
    endedAt: null,
    pods: null,
    elapsedSeconds: 21_600,
  });
});
