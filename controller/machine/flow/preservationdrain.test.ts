import { describe, expect, test } from 'bun:test';
import { at, type node } from '../../../test/fixtures/objects.ts';
import { drain, pod } from '../../drain/flow/view.fixture.ts';
import type { DrainView } from '../../drain/flow/view.ts';
import { BY_US, KEY, LATER, NOW, SCALE_DOWN_DISABLED, seen, TAINT } from './preservation.fixture.ts';
import { preservationApplied } from './preservation.ts';

describe('the Node of a Failed machine is drained once (hack/spec/mcm.md 6.12 4, 5)', () => {
  const until = `Machine preserved until ${LATER}.`;
  const says = (message: string, status = 'True', reason = 'Preserved by user.') => ({
    metadata: { annotations: { [SCALE_DOWN_DISABLED]: 'true', [BY_US]: 'true' } },
    spec: { taints: [TAINT] },
    status: { conditions: [ready, { type: 'Preserved', status, reason, message }] },
  });
  const ready = { type: 'Ready', status: 'True' };
  const lost = { type: 'Ready', status: 'Unknown', lastTransitionTime: at(-240) };
  const left = drain({ pods: [pod('web', { deleteAt: NOW })], deadline: NOW - 60_000 });
  const rows: Array<[string, Parameters<typeof node>[0], DrainView | undefined, string]> = [
    ['it begins', says(until), undefined, `True Node is being drained. ${until}`],
    [
      'it begins by force where the Node is lost',
      { ...says(until), status: { conditions: [lost] } },
      undefined,
      `True Node is being drained by force. ${until}`,
    ],
    [
      'it begins after an earlier preservation',
      says('', 'False', 'Preservation stopped.'),
      undefined,
      `True Node is being drained. ${until}`,
    ],
    ['pods go', says(`Node is being drained. ${until}`), drain({ pods: [pod('web')] }), 'EvictPods'],
    [
      'pods are waited for',
      says(`Node is being drained. ${until}`),
      drain({ pods: [pod('web', { endsAt: NOW })] }),
      'pass',
    ],
    [
      'all went',
      says(`Node is being drained. ${until}`),
      drain(),
      `True Preserved node drained successfully. ${until}`,
    ],
    [
      'some would not go',
      says(`Node is being drained by force. ${until}`),
      left,
      `False Preserved node could not be drained. ${until}`,
    ],
    ['it is over', says(`Preserved node drained successfully. ${until}`), undefined, 'pass'],
    ['it was in vain', says(`Preserved node could not be drained. ${until}`, 'False'), undefined, 'pass'],
  ];
  test.each(rows)('%s', (_what, object, draining, said) => {
    const one = seen({ own: { [KEY]: 'now' }, phase: 'Failed', expiry: LATER, node: object });
    const outcome = preservationApplied({ ...one, drain: draining });
    if (outcome.kind !== 'act') return expect(outcome.kind as string).toBe(said);
    const { action, reason } = outcome;
    const told = action.do === 'changeNode' ? action.change.condition : undefined;
    expect(told && 'status' in told ? `${told.status} ${told.message}` : reason).toBe(said);
  });

  test('by force from the moment somebody says so by label', () => {
    const one = seen({
      own: { [KEY]: 'now' },
      phase: 'Failed',
      expiry: LATER,
      node: says(`Node is being drained. ${until}`),
    });
    const labels = { ...one.machine.metadata.labels, 'force-drain': 'True' };
    const machine = { ...one.machine, metadata: { ...one.machine.metadata, labels } };
    expect(preservationApplied({ ...one, machine, drain: drain({ pods: [pod('web')] }) })).toMatchObject({
      action: { change: { condition: { message: `Node is being drained by force. ${until}` } } },
    });
  });

  test('and again when the machine recovered meanwhile', () => {
    const recovered = seen({
      own: { [KEY]: 'now' },
      expiry: LATER,
      node: says(`Preserved node drained successfully. ${until}`),
    });
    expect(preservationApplied(recovered)).toMatchObject({ action: { change: { condition: { message: until } } } });
  });
});
