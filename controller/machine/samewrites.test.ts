import { expect, test } from 'bun:test';
import { SameWrites } from './samewrites.ts';

const write = (value: string, at = '2026-01-01T00:00:00Z') => ({ write: 'Synced/changeNode', content: { value, at } });

// hack/decisions/0028 T28
test('what was written five times and is due again counts as not kept, whatever times are in it', () => {
  const writes = new SameWrites();
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
  const writes = new SameWrites();
  const often = (now: number) => Array.from({ length: 6 }, () => writes.isTakenBack('a', write('x'), now)).at(-1);
  expect(often(0)).toBe(true);
  expect(writes.isTakenBack('a', write('x'), 900_001)).toBe(false);
  expect(often(900_001)).toBe(true);
  writes.forget('a');
  expect(writes.isTakenBack('a', write('x'), 900_001)).toBe(false);
});
