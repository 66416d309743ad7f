import { describe, expect, test } from 'bun:test';
import { BORN, inPhase } from '../../../test/fixtures/objects.ts';
import { statusOf } from '../status/status.ts';
import { nextDeadline, plan } from './flow.ts';
import { updateRetry, updateState, vmUpToDate } from './hotupdate.ts';
import { idle, readyNode, recorded, view, vm } from './view.fixture.ts';
import type { CallFailure, MachineView, UpdateFact } from './view.ts';

const NOW = BORN + 60_000;
const RECORD = 'drover.dev/last-applied-provider-spec';
const UNFINISHED = 'drover.dev/update-unfinished';
const BLUE = '{"tags":{"team":"blue"}}';
const RED = '{"tags":{"team":"red"}}';
const COST = '{"tags":{"cost":"7"}}';
const BOTH = '{"tags":{"cost":"7","team":"blue"}}';

const failure = (changes: Partial<CallFailure> = {}): CallFailure => ({
  method: 'updateMachine',
  code: 'Unavailable',
  message: 'one of two disks could not be tagged',
  retryAt: NOW + 5_000,
  permanent: false,
  ...changes,
});

/** A Machine with this record, of a class whose hot fields are `wanted`. */
function seen(
  record: { spec?: string; unfinished?: true },
  update: Partial<UpdateFact> = {},
  { phase = 'Running', ...facts }: Partial<MachineView> & { phase?: string } = {},
): MachineView {
  const annotations = {
    ...(record.spec !== undefined && { [RECORD]: record.spec }),
    ...(record.unfinished && { [UNFINISHED]: 'true' }),
  };
  return view({
    machine: inPhase(phase, 0, { ...recorded, metadata: { ...recorded.metadata, annotations } }),
    vm,
    calls: { ...idle, askedAt: NOW },
    node: readyNode,
    update: { slotFree: true, desired: BLUE, ...update },
    ...facts,
  });
}

const answer = (one: MachineView) => {
  const outcome = vmUpToDate(one);
  return outcome.kind === 'act' ? { reason: outcome.reason, ...outcome.action } : outcome.kind;
};
const begin = (spec: string) => ({ reason: 'BeginVMUpdate', do: 'recordUpdate', spec, finished: false }) as const;
const update = { reason: 'UpdateVM', do: 'update', spec: BLUE } as const;
const repair = { reason: 'RepairVM', do: 'update', spec: BLUE } as const;
const done = (spec: string) => ({ reason: 'RecordVMUpdate', do: 'recordUpdate', spec, finished: true }) as const;
const found = (tags: Record<string, string>) => ({ ...vm, hot: { tags } });

describe('the VM of a Machine', () => {
  test.each([
    ['of a driver that updates nothing', seen({}, { desired: undefined as never }), 'pass'],
    ['without a record is updated once: what is tried is written down first', seen({}), begin(BLUE)],
    ['without a record is updated then', seen({ spec: BLUE, unfinished: true }), update],
    ['with a record that nobody can read', seen({ spec: '{' }), begin(BLUE)],
    ['as the class wants it', seen({ spec: BLUE }), 'pass'],
    ['whose class changed', seen({ spec: COST }), begin(BOTH)],
    ['whose class changed, once that is written down', seen({ spec: BOTH, unfinished: true }), update],
    [
      'that is being updated',
      seen({ spec: BOTH, unfinished: true }, { inFlight: { method: 'updateMachine', since: NOW } }),
      'pass',
    ],
    ['that was updated', seen({ spec: BOTH, unfinished: true }, { done: BLUE }), done(BLUE)],
    [
      'that was updated while its class changed again',
      seen({ spec: '{"tags":{"cost":"7","team":"red"}}', unfinished: true }, { done: RED }),
      done(RED),
    ],
    ['after a failure whose retry is not due', seen({ spec: BOTH, unfinished: true }, { failure: failure() }), 'pass'],
    [
      'after a failure whose retry is due',
      seen({ spec: BOTH, unfinished: true }, { failure: failure({ retryAt: NOW }) }),
      update,
    ],
    [
      'after a failure, with the class changed back: what was tried is taken off',
      seen({ spec: BOTH, unfinished: true }, { desired: COST }),
      { ...update, spec: COST },
    ],
    ['after a failure, with the class changed to something else', seen({ spec: COST, unfinished: true }), begin(BOTH)],
    ['that waits for its turn', seen({ spec: COST }, { slotFree: false }), 'pass'],
    ['that has lost a tag', seen({ spec: BLUE }, {}, { vm: found({}) }), repair],
    ['with a tag of others', seen({ spec: BLUE }, {}, { vm: found({ team: 'blue', theirs: 'x' }) }), 'pass'],
    [
      'that was repaired since it was looked at',
      seen({ spec: BLUE }, { done: BLUE, doneAt: NOW }, { vm: found({}) }),
      'pass',
    ],
    [
      'that was repaired before, and has lost it again',
      seen({ spec: BLUE }, { done: BLUE, doneAt: NOW - 1 }, { vm: found({}) }),
      repair,
    ],
    ['of which nothing is known now', seen({}, {}, { vm: { at: 'unknown' } }), 'pass'],
    ['that may be gone', seen({}, {}, { vm: { at: 'absent', since: NOW } }), 'pass'],
    ['that is about to be replaced', seen({}, {}, { phase: 'Failed' }), 'pass'],
    [
      'that is unhealthy is updated all the same',
      seen({ spec: COST }, {}, { phase: 'Unknown', node: { ...readyNode, ready: false } }),
      begin(BOTH),
    ],
    [
      'that never joined is updated all the same',
      seen({ spec: COST }, {}, { phase: 'Pending', node: { at: 'absent' } }),
      begin(BOTH),
    ],
  ])('%s', (_what, one, said) => {
    expect<unknown>(answer(one)).toEqual(said);
  });
});

describe('before a VM is made, what may come to be on it', () => {
  const unmade = (record: Parameters<typeof seen>[0], update: Partial<UpdateFact> = {}) => {
    const one = seen(record, update, { phase: '', vm: { at: 'absent', since: NOW }, node: { at: 'absent' } });
    const { outcome } = plan({
      ...one,
      machine: { ...one.machine, spec: { ...one.machine.spec, providerID: '' } } as never,
    });
    return outcome.kind === 'act' ? { reason: outcome.reason, ...outcome.action } : outcome;
  };
  const create = { reason: 'CreateVM', do: 'call', method: 'createMachine' };
  test.each([
    ['is written down', unmade({}), begin(BLUE)],
    ['is written down by the set already', unmade({ spec: BLUE, unfinished: true }), create],
    ['is completed when the class has changed since', unmade({ spec: COST, unfinished: true }), begin(BOTH)],
    ['holds what an earlier creation may have put there', unmade({ spec: BOTH, unfinished: true }), create],
    ['is no finished record of another VM', unmade({ spec: BLUE }), begin(BLUE)],
    ['does not matter to a driver that updates nothing', unmade({}, { desired: undefined as never }), create],
  ])('%s', (_what, done, expected) => {
    expect<unknown>(done).toEqual(expected);
  });
});

const stuck = seen({ spec: BOTH, unfinished: true }, { failure: failure({ code: 'PermissionDenied' }) });

test('an update that fails keeps the Machine Running, is told by condition and operation, and is tried again', () => {
  const decision = plan(stuck);
  const status = statusOf(stuck, decision, '2026-01-01T00:01:00Z');
  expect([decision.step, status?.currentStatus?.phase, status?.errorReason]).toEqual([
    'Reconciled',
    'Running',
    undefined,
  ]);
  expect(status?.conditions?.find(({ type }) => type === 'VMUpToDate')).toMatchObject({
    status: 'False',
    reason: 'PermissionDenied',
    message: 'one of two disks could not be tagged',
  });
  expect(status?.lastOperation).toMatchObject({ type: 'Update', state: 'Failed', errorCode: 'PermissionDenied' });
  expect(nextDeadline(stuck)).toBe(5_000);
});

test('an update that succeeds after it failed is told, too', () => {
  const failed = { status: { lastOperation: { type: 'Update', state: 'Failed' } } } as const;
  const base = seen({ spec: BLUE });
  const one = { ...base, machine: { ...base.machine, status: { ...base.machine.status, ...failed.status } } };
  const { lastOperation, conditions } = statusOf(one, plan(one), '2026-01-01T00:01:00Z') ?? {};
  expect(lastOperation).toMatchObject({ type: 'Update', state: 'Successful' });
  expect(conditions?.find(({ type }) => type === 'VMUpToDate')?.status).toBe('True');
});

test('a Machine whose update fails is judged as any other', () => {
  const sick = { ...stuck, node: { ...readyNode, ready: false } };
  expect(plan(sick)).toMatchObject({ step: 'NodeHealthy', outcome: { reason: 'NodeNotReady' } });
});

test('a Machine whose record is refused is judged as any other, and says so', () => {
  const refused = new Map([['VMUpToDate', { message: 'metadata.annotations: Too long', retryAt: NOW + 1 }]]);
  const one = seen({ spec: COST }, {}, { refused });
  const { conditions } = statusOf(one, plan(one), '2026-01-01T00:01:00Z') ?? {};
  expect(plan(one).step).toBe('Reconciled');
  expect(conditions?.find(({ type }) => type === 'VMUpToDate')).toMatchObject({ reason: 'WriteRefused' });
});

test.each([
  ['as its class wants it', seen({ spec: BLUE }), undefined, Infinity],
  ['that waits for its turn', seen({ spec: COST }, { slotFree: false }), 'WaitingForDriverSlot', 30_000],
  [
    'whose update takes long',
    seen({ spec: COST }, { inFlight: { method: 'updateMachine', since: NOW - 1_000 } }),
    'Updating',
    Infinity,
  ],
  [
    'whose update has just begun',
    seen({ spec: COST }, { inFlight: { method: 'updateMachine', since: NOW } }),
    undefined,
    1_000,
  ],
])('a Machine %s: condition and next look', (_what, one, reason, ms) => {
  expect([updateState(one)?.reason, updateRetry(one)]).toEqual([reason, ms]);
});
