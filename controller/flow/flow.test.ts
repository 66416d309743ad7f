import { describe, expect, test } from 'bun:test';
import { act, type Decision, decide, fail, type Outcome, pass, SETTLED, type Steps, stepStates, wait } from './flow.ts';

type Action = { do: 'create' };
const steps: Steps<Record<string, Outcome<Action>>, Action> = {
  Guarded: (view) => view['Guarded'] ?? pass,
  Created: (view) => view['Created'] ?? pass,
  Joined: (view) => view['Joined'] ?? pass,
};
const create = act('NoVm', { do: 'create' } as const);

/** One line for all steps, such as `Guarded=True Created=False(NoVm) Joined=Unknown(NotReached)`. */
const line = (decision: Decision<Action>): string =>
  stepStates(steps, decision)
    .map(({ type, status, reason }) => (status === 'True' ? `${type}=${status}` : `${type}=${status}(${reason})`))
    .join(' ');

describe('The first step that is not satisfied decides', () => {
  const rows: Array<[string, Record<string, Outcome<Action>>, string, string]> = [
    ['every step passes', {}, SETTLED, 'Guarded=True Created=True Joined=True'],
    [
      'the first step acts',
      { Guarded: create },
      'Guarded',
      'Guarded=False(NoVm) Created=Unknown(NotReached) Joined=Unknown(NotReached)',
    ],
    [
      'a middle step acts',
      { Created: create },
      'Created',
      'Guarded=True Created=False(NoVm) Joined=Unknown(NotReached)',
    ],
    [
      'the last step waits',
      { Joined: wait('NoNode', 5_000) },
      'Joined',
      'Guarded=True Created=True Joined=False(NoNode)',
    ],
    [
      'a step fails',
      { Created: fail('BadSpec', 'size is unknown') },
      'Created',
      'Guarded=True Created=False(BadSpec) Joined=Unknown(NotReached)',
    ],
    [
      'two steps are not satisfied',
      { Created: wait('DriverUnsure', 1_000), Joined: create },
      'Created',
      'Guarded=True Created=False(DriverUnsure) Joined=Unknown(NotReached)',
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
    expect(decide({}, undefined)).toEqual({ step: SETTLED, outcome: pass });
    expect(stepStates({}, { step: SETTLED, outcome: pass })).toEqual([]);
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
    expect(stepStates(steps, { step: 'Created', outcome })[1]).toMatchObject({ type: 'Created', message });
  });

  test('and a step that was not reached names the one it waits for', () => {
    expect(stepStates(steps, { step: 'Created', outcome: create })[2]?.message).toBe('waits for Created');
  });
});
