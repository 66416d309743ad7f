import { describe, expect, test } from 'bun:test';
import type { VirtualSpec } from '../../../schemas/providers/virtual.ts';
import { Faults, fateOf } from './faults.ts';

type CallFaults = NonNullable<NonNullable<VirtualSpec['faults']>['calls']>;
const create = (machine: string) => ({ method: 'createMachine', machine: `herd/${machine}` }) as const;

/** What each of `turns` calls for a machine answers; `-` where no fault strikes. */
function answers(calls: CallFaults, { machine = 'a', turns = 4, seed = 0, faults = new Faults() } = {}): string {
  const spec = { faults: { seed, calls } };
  return Array.from({ length: turns }, () => faults.strike(spec, create(machine))?.answer ?? '-').join(' ');
}

describe('A fault of calls', () => {
  const rows: Array<[string, CallFaults, string]> = [
    ['without conditions strikes always', [{ answer: 'Internal' }], 'Internal Internal Internal Internal'],
    ['of another method never strikes', [{ method: 'deleteMachine', answer: 'Internal' }], '- - - -'],
    ['of a rate of 0 never strikes', [{ rate: 0, answer: 'Internal' }], '- - - -'],
    ['of a rate of 1 strikes always', [{ rate: 1, answer: 'Internal' }], 'Internal Internal Internal Internal'],
    ['of 2 times lets the third call through', [{ times: 2, answer: 'Internal' }], 'Internal Internal - -'],
    ['of another machine never strikes', [{ machine: 'b', answer: 'Internal' }], '- - - -'],
    [
      'yields to one before it',
      [
        { times: 1, answer: 'Unavailable' },
        { times: 3, answer: 'Internal' },
      ],
      'Unavailable Internal Internal -',
    ],
  ];
  test.each(rows)('%s', (_what, calls, expected) => expect(answers(calls)).toBe(expected));

  const patterns: Array<[string, string, boolean]> = [
    ['a', 'a', true],
    ['a', 'ab', false],
    ['a*', 'abc', true],
    ['*c', 'abc', true],
    ['a*c', 'abc', true],
    ['a*c', 'abcd', false],
    ['*', 'anything', true],
    ['a.c', 'abc', false],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['*b*b*', 'abcb', true],
    ['*b*b*', 'abc', false],
    ['a**c', 'ac', true],
  ];
  test.each(patterns)('of machines %s and the machine %s: %p', (pattern, machine, struck) => {
    expect(answers([{ machine: pattern, answer: 'Internal' }], { machine, turns: 1 })).toBe(struck ? 'Internal' : '-');
  });

  test('that names machines spares calls about none', () => {
    const strike = (calls: CallFaults) => new Faults().strike({ faults: { calls } }, { method: 'listMachines' });
    expect(strike([{ machine: '*', answer: 'Internal' }])).toBeUndefined();
    expect(strike([{ answer: 'Internal' }])?.answer).toBe('Internal');
  });

  test('of some rate strikes the same calls in every run, and others under another seed', () => {
    const calls: CallFaults = [{ rate: 0.5, answer: 'Internal' }];
    const first = answers(calls, { turns: 50 });
    expect(answers(calls, { turns: 50 })).toBe(first);
    expect(answers(calls, { turns: 50, seed: 1 })).not.toBe(first);
    expect(answers(calls, { turns: 50, machine: 'b' })).not.toBe(first);
  });

  test('of a rate of a fifth strikes about a fifth of the calls', () => {
    const struck = answers([{ rate: 0.2, answer: 'Internal' }], { turns: 1000 }).split('Internal').length - 1;
    expect(struck).toBeGreaterThan(150);
    expect(struck).toBeLessThan(250);
  });

  test('counts anew once the machine is forgotten', () => {
    const faults = new Faults();
    const calls: CallFaults = [{ times: 1, answer: 'Internal' }];
    expect(answers(calls, { turns: 2, faults })).toBe('Internal -');
    faults.forget('herd/a');
    expect(answers(calls, { turns: 2, faults })).toBe('Internal -');
  });
});

describe('The fate of a VM', () => {
  const never = Number.POSITIVE_INFINITY;
  const good = { joins: true, breaksAfterMs: never, vanishesAfterMs: never };
  const rows: Array<[string, VirtualSpec, Partial<typeof good>]> = [
    ['is good without faults', {}, {}],
    ['may be never to join', { faults: { vms: [{ fate: 'NeverJoins' }] } }, { joins: false }],
    ['may be to vanish', { faults: { vms: [{ fate: 'Vanishes', after: '30s' }] } }, { vanishesAfterMs: 30_000 }],
    ['may be to break at once', { faults: { vms: [{ fate: 'Breaks' }] } }, { breaksAfterMs: 0 }],
    ['spares the machines that are not named', { faults: { vms: [{ machine: 'b', fate: 'Breaks' }] } }, {}],
    ['spares all at a rate of 0', { faults: { vms: [{ rate: 0, fate: 'Breaks' }] } }, {}],
    [
      'adds up, the earliest moment first',
      {
        faults: {
          vms: [
            { fate: 'Vanishes', after: '9s' },
            { fate: 'Breaks', after: '1s' },
            { fate: 'Vanishes', after: '3s' },
          ],
        },
      },
      { breaksAfterMs: 1_000, vanishesAfterMs: 3_000 },
    ],
  ];
  test.each(rows)('%s', (_what, spec, expected) => {
    expect(fateOf({ spec, machine: 'herd/a' })).toEqual({ ...good, ...expected });
  });
});
