import { expect, test } from 'bun:test';
import { machine } from '../../test/fixtures/objects.ts';
import { Repeats } from './refusals.ts';

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

const write = (value: string, at = '2026-01-01T00:00:00Z') => ({
  write: 'NodeSynced/changeNode',
  content: { value, at },
});

// hack/decisions/0028 T28
test('what was written five times and is due again counts as not kept, whatever times are in it', () => {
  const writes = new Repeats();
  const answers = Array.from({ length: 7 }, (_, n) =>
    writes.isTakenBack('a', write('x', `2026-01-01T00:00:0${n}Z`), n),
  );
  expect(answers).toEqual([false, false, false, false, false, true, true]);
  expect(writes.isTakenBack('b', write('x'), 7)).toBe(false);
  expect(writes.isTakenBack('a', { ...write('x'), write: 'Drained/changeNode' }, 7)).toBe(false);
  expect(writes.isTakenBack('a', write('x'), 8)).toBe(true);
  expect(writes.isTakenBack('a', write('y'), 9)).toBe(false);
});

test('what is due again after a long time, or of another Machine of the name, is written anew', () => {
  const writes = new Repeats();
  const often = (now: number) => Array.from({ length: 6 }, () => writes.isTakenBack('a', write('x'), now)).at(-1);
  expect(often(0)).toBe(true);
  expect(writes.isTakenBack('a', write('x'), 900_001)).toBe(false);
  expect(often(900_001)).toBe(true);
  writes.end('a');
  expect(writes.isTakenBack('a', write('x'), 900_001)).toBe(false);
});
