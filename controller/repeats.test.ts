import { expect, test } from 'bun:test';
import { machine } from '../test/fixtures/objects.ts';
import { Repeats } from './repeats.ts';

const named = (name: string, resourceVersion = '1') => machine({ metadata: { name, resourceVersion } });
const patchOf = (name: string, replicas: number, resourceVersion?: string) => ({
  do: 'patchSet',
  set: named(name, resourceVersion),
  patch: { spec: { replicas } },
});

// hack/decisions/0051 S2
test('an action that is taken five times in a row waits longer and longer', () => {
  const repeats = new Repeats();
  let now = 0;
  const waits = Array.from({ length: 13 }, (_, version) => {
    const wait = repeats.waitMs('a', patchOf('s', 1, `${version}`), now);
    now += wait;
    if (wait > 0) expect(repeats.waitMs('a', patchOf('s', 1), now)).toBe(0);
    return wait;
  });
  expect(waits).toEqual([0, 0, 0, 0, 0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
});

test.each([
  ['of another object', patchOf('t', 1)],
  ['with another value', patchOf('s', 2)],
  ['of more objects', { do: 'delete', machines: [named('s'), named('t')] }],
])('another action, %s, begins anew, and so does what follows a rest', (_what, other) => {
  const repeats = new Repeats();
  const often = (action: object) => Array.from({ length: 6 }, () => repeats.waitMs('a', action, 0)).at(-1);
  expect(often(patchOf('s', 1))).toBe(1_000);
  expect(repeats.waitMs('b', patchOf('s', 1), 0)).toBe(0);
  expect(repeats.waitMs('a', other, 0)).toBe(0);
  expect(often(patchOf('s', 1))).toBe(1_000);
  repeats.end('a');
  expect(repeats.waitMs('a', patchOf('s', 1), 0)).toBe(0);
});
