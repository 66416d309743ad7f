import { describe, expect, test } from 'bun:test';
import { at, BORN, inPhase, node } from '../../../test/fixtures/objects.ts';
import { drain, pod } from '../../drain/flow/view.fixture.ts';
import { statusOf } from '../status/status.ts';
import { plan } from './flow.ts';
import { emptyingTrouble, livingDeadline } from './livedrain.ts';
import { idle, readyNode, recorded, view, vm } from './view.fixture.ts';

const clocks = { now: BORN + 60_000, timeoutMs: 7_200_000, from: 0 };
const updated = (reason: string, message: string) =>
  node({
    status: { conditions: [{ type: 'InPlaceUpdate', status: 'True', reason, message, lastHeartbeatTime: at(30) }] },
  });
const preserved = (message: string) =>
  node({ status: { conditions: [{ type: 'Preserved', status: 'True', message, lastHeartbeatTime: at(30) }] } });
const failed = inPhase('Failed', 0, { status: { currentStatus: { preserveExpiryTime: at(3_600) } } });

describe('the drain of a living machine’s Node has its clock in a condition', () => {
  test.each([
    ['none', inPhase('Running'), node(), undefined],
    ['selected for an update, not begun', inPhase('Running'), updated('SelectedForUpdate', ''), undefined],
    [
      'selected for an update',
      inPhase('Running'),
      updated('SelectedForUpdate', 'Node is being drained since x'),
      7_230,
    ],
    [
      'the same by force',
      inPhase('Running'),
      updated('SelectedForUpdate', 'Node is being drained by force since x'),
      30,
    ],
    ['past that', inPhase('Running'), updated('DrainSuccessful', 'Node is being drained since x'), undefined],
    ['Failed and preserved', failed, preserved('Node is being drained. x'), 7_230],
    ['the same by force', failed, preserved('Node is being drained by force. x'), 30],
    ['preserved, drained', failed, preserved('Preserved node drained successfully. x'), undefined],
    ['preserved, recovered', inPhase('Running'), preserved('Node is being drained. x'), undefined],
  ] as const)('%s', (_what, machine, object, seconds) => {
    const deadline = livingDeadline({ machine, node: object }, clocks);
    expect(deadline === undefined ? undefined : (deadline - BORN) / 1000).toBe(seconds as number);
  });
});

test('what it lost while no pods were known it has back, and force has none (hack/decisions/0028, 0051 L80)', () => {
  const told = (message: string) => ({ machine: inPhase('Running'), node: updated('SelectedForUpdate', message) });
  const seen = { ...clocks, timeoutMs: clocks.timeoutMs + 20_000 };
  expect(livingDeadline(told('Node is being drained since x'), seen)).toBe(BORN + 7_250_000);
  expect(livingDeadline(told('Node is being drained by force since x'), seen)).toBe(BORN + 30_000);
});

test('people see what holds a drain up, and health is judged meanwhile', () => {
  const refused = { result: 'Refused', reason: 'disruption budget shop/web' } as const;
  const { metadata, spec } = readyNode.object;
  const labels = { ...metadata.labels, 'node.machine.sapcloud.io/candidate-for-update': 'true' };
  const { status } = updated('SelectedForUpdate', `Node is being drained since ${at(30)}`);
  const object = {
    metadata: { ...metadata, labels },
    spec: { ...spec, unschedulable: true },
    ...(status && { status }),
  };
  const one = view({
    machine: inPhase('Running', 0, recorded),
    vm,
    calls: { ...idle, askedAt: clocks.now },
    node: { ...readyNode, object },
    drain: drain({ pods: [pod('web', { answer: refused, refusedSince: 0, retryAt: Infinity })] }),
  });
  expect(emptyingTrouble(one)).toEqual({ ms: 5_000, message: 'shop/web: disruption budget shop/web' });
  const leaving = { ...one.machine, metadata: { ...one.machine.metadata, deletionTimestamp: at(30) } };
  expect(emptyingTrouble({ ...one, machine: leaving })).toEqual({ ms: Infinity });
  const said = statusOf(one, plan(one), at(60));
  expect(plan(one).step).toBe('Reconciled');
  expect(said?.lastOperation).toMatchObject({ type: 'DrainNode', state: 'Processing' });
});
