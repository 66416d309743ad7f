import { expect, test } from 'bun:test';
import { act, type Outcome, pass, wait } from '../../flow/flow.ts';
import { type Effects, type Gate, gated, isHeldReason } from './gate.ts';

type Action = { do: 'label' } | { do: 'build' } | { do: 'scale'; by: number };
const effects: Effects<Action, { gate: Gate }> = {
  label: 'harmless',
  build: 'makes',
  scale: ({ by }) => (by < 0 ? 'destroys' : 'makes'),
};
const shut = (away: 'control' | 'target'): Gate => ({ shut: { unreachable: away, since: 1_000 }, judgesFrom: 0 });
const acting = (action: Action): Outcome<Action> => act('Doing', action);

test.each<[what: string, outcome: () => Outcome<Action>, target: boolean, control: boolean]>([
  ['nothing', () => pass, false, false],
  ['a wait', () => wait('Waiting', 5), false, false],
  ['what harms nobody', () => acting({ do: 'label' }), false, false],
  ['what makes something', () => acting({ do: 'build' }), false, true],
  ['more of it', () => acting({ do: 'scale', by: 1 }), false, true],
  ['less of it', () => acting({ do: 'scale', by: -1 }), true, true],
])('behind a shut gate is held, or not: %s', (_what, outcome, target, control) => {
  const held = (gate: Gate) => gated({ step: 'Done', outcome: outcome() }, { gate }, { effects }).held !== undefined;
  expect([held({ judgesFrom: 0 }), held(shut('target')), held(shut('control'))]).toEqual([false, target, control]);
});

test('a held decision waits for the server, and names what it would have been', () => {
  const decision = gated(
    { step: 'Done', outcome: acting({ do: 'scale', by: -1 }) },
    { gate: shut('target') },
    { effects },
  );
  expect(decision).toEqual({
    step: 'Done',
    outcome: wait(
      'TargetClusterUnreachable',
      60_000,
      'the target API server is unreachable since 1970-01-01T00:00:01Z: Doing is held',
    ),
    held: 'Doing',
  });
  expect([
    isHeldReason('TargetClusterUnreachable'),
    isHeldReason('ControlClusterUnreachable'),
    isHeldReason('Doing'),
  ]).toEqual([true, true, false]);
});
