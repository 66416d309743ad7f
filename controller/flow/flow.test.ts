import { describe, expect, test } from 'bun:test';
import {
  act,
  type Decision,
  decide,
  fail,
  type Outcome,
  pass,
  RECONCILED,
  type Steps,
  stepStates,
  wait,
} from './flow.ts';

type Action = { do: 'create' };
const steps: Steps<Record<string, Outcome<Action>>, Action> = {
  FinalizerAdded: (view) => view['FinalizerAdded'] ?? pass,
  VMCreated: (view) => view['VMCreated'] ?? pass,
  NodeRegistered: (view) => view['NodeRegistered'] ?? pass,
};
const create = act('NoVm', { do: 'create' } as const);

/** One line for all steps, such as `FinalizerAdded=True VMCreated=False(NoVm) NodeRegistered=Unknown(WaitingForPreviousStep)`. */
const line = (decision: Decision<Action>): string =>
  stepStates(steps, decision)
    .map(({ type, status, reason }) => (status === 'True' ? `${type}=${status}` : `${type}=${status}(${reason})`))
    .join(' ');

describe('The first step that is not satisfied decides', () => {
  const rows: Array<[string, Record<string, Outcome<Action>>, string, string]> = [
    ['every step passes', {}, RECONCILED, 'FinalizerAdded=True VMCreated=True NodeRegistered=True'],
    [
      'the first step acts',
      { FinalizerAdded: create },
      'FinalizerAdded',
      'FinalizerAdded=False(NoVm) VMCreated=Unknown(WaitingForPreviousStep) NodeRegistered=Unknown(WaitingForPreviousStep)',
    ],
    [
      'a middle step acts',
      { VMCreated: create },
      'VMCreated',
      'FinalizerAdded=True VMCreated=False(NoVm) NodeRegistered=Unknown(WaitingForPreviousStep)',
    ],
    [
      'the last step waits',
      { NodeRegistered: wait('NoNode', 5_000) },
      'NodeRegistered',
      'FinalizerAdded=True VMCreated=True NodeRegistered=False(NoNode)',
    ],
    [
      'a step fails',
      { VMCreated: fail('BadSpec', 'size is unknown') },
      'VMCreated',
      'FinalizerAdded=True VMCreated=False(BadSpec) NodeRegistered=Unknown(WaitingForPreviousStep)',
    ],
    [
      'two steps are not satisfied',
      { VMCreated: wait('DriverUnsure', 1_000), NodeRegistered: create },
      'VMCreated',
      'FinalizerAdded=True VMCreated=False(DriverUnsure) NodeRegistered=Unknown(WaitingForPreviousStep)',
    ],
  ];
  test.each(rows)('when %s', (_what, view, step, expected) => {
    const decision = decide(steps, view);
    expect(decision.step).toBe(step);
    expect(decision.outcome).toEqual(view[step] ?? pass);
    expect(line(decision)).toBe(expected);
  });

  test('and no step after it is judged', () => {
    const judged: string[] = [];
    const saying = (name: string, outcome: Outcome<Action>) => () => {
      judged.push(name);
      return outcome;
    };
    decide({ First: saying('First', pass), Second: saying('Second', create), Third: saying('Third', pass) }, undefined);
    expect(judged).toEqual(['First', 'Second']);
  });

  test('and a flow without steps has settled', () => {
    expect(decide({}, undefined)).toEqual({ step: RECONCILED, outcome: pass });
    expect(stepStates({}, { step: RECONCILED, outcome: pass })).toEqual([]);
  });
});

describe('The state of a step carries a message', () => {
  const rows: Array<[string, Outcome<Action>, string]> = [
    ['of a failure', fail('BadSpec', 'size is unknown'), 'size is unknown'],
    ['of a wait that says more', wait('NoNode', 5_000, 'no Node yet'), 'no Node yet'],
    ['empty for a wait that says no more', wait('NoNode', 5_000), ''],
    ['empty for an action', create, ''],
  ];
  test.each(rows)('%s', (_what, outcome, message) => {
    expect(stepStates(steps, { step: 'VMCreated', outcome })[1]).toMatchObject({ type: 'VMCreated', message });
  });

  test('and a step that was not reached names the one it comes after', () => {
    expect(stepStates(steps, { step: 'VMCreated', outcome: create })[2]?.message).toBe('comes after VMCreated');
  });
});
