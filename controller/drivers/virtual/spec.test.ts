import { describe, expect, test } from 'bun:test';
import { readSpec, specOrNone } from './spec.ts';

describe('A providerSpec', () => {
  test('may be empty', () => expect(readSpec({})).toEqual({}));

  const bad: Array<[unknown, string]> = [
    [{ bot: '3s' }, 'providerSpec.bot: there is no such field, leave it out'],
    [{ latency: { bot: '3s' } }, 'providerSpec.latency.bot: there is no such field, leave it out'],
    [
      { latency: { boot: '5 minutes' } },
      'providerSpec.latency.boot: must be a duration such as 90s or 1h30m, not "5 minutes"',
    ],
    [{ latency: { spread: 3 } }, 'providerSpec.latency.spread: must be <=1, not 3'],
    [{ capacity: 1.5 }, 'providerSpec.capacity: must be a whole number, not 1.5'],
    [{ capacity: 'many' }, 'providerSpec.capacity: must be number, not "many"'],
    [{ faults: { calls: [{}] } }, 'providerSpec.faults.calls.0.answer: is missing'],
    [
      { node: { taints: [{ key: 'a', effect: 'NoSchedule', until: 'noon' }] } },
      'providerSpec.node.taints.0.until: there is no such field, leave it out',
    ],
    [
      { tags: { 'a b': 'c' } },
      'providerSpec.tags.a b: must be letters, digits, dots, dashes or underscores, at most 128, not "a b"',
    ],
    ['', 'providerSpec: must be Object, not ""'],
    [undefined, 'providerSpec: is missing'],
  ];
  test.each(bad)('such as %j is refused', (providerSpec, message) => {
    expect(() => readSpec(providerSpec)).toThrow(expect.objectContaining({ code: 'InvalidArgument', message }));
  });

  test('is refused with all findings at once', () => {
    expect(() => readSpec({ bot: 1, capacity: -1 })).toThrow(
      'providerSpec.capacity: must be >=0, not -1; providerSpec.bot: there is no such field, leave it out',
    );
  });

  test('that is bad counts as empty for those who must go on', () => {
    expect(specOrNone({ bot: 1 })).toEqual({});
    expect(specOrNone({ capacity: 1 })).toEqual({ capacity: 1 });
  });
});
