import { expect, test } from 'bun:test';
import { Turns } from './turns.ts';

// hack/decisions/0028 W6

const all = (turns: Turns<string>): string[] => {
  const out: string[] = [];
  for (let one = turns.next(); one !== undefined; one = turns.next()) out.push(one);
  return out;
};

function waiting(...paths: string[]): Turns<string> {
  const turns = new Turns<string>();
  paths.forEach((path, index) => {
    turns.add(path.split('/'), `${path}${index}`);
  });
  return turns;
}

test.each([
  ['in the order of their coming within a group', ['a/x', 'a/x', 'a/x'], ['a/x0', 'a/x1', 'a/x2']],
  ['round the groups, however many wait in one', ['a/x', 'a/x', 'a/x', 'b/x'], ['a/x0', 'b/x3', 'a/x1', 'a/x2']],
  [
    'round the groups within each group',
    ['a/x', 'a/x', 'a/y', 'b/x', 'b/x', 'b/x'],
    ['a/x0', 'b/x3', 'a/y2', 'b/x4', 'a/x1', 'b/x5'],
  ],
])('turns go %s', (_how, paths, order) => {
  expect(all(waiting(...paths))).toEqual(order);
});

test('who comes when another was served waits for one turn of theirs', () => {
  const turns = waiting('a/x', 'a/x', 'a/x');
  expect(turns.next()).toBe('a/x0');
  turns.add(['b', 'x'], 'late');
  expect(all(turns)).toEqual(['a/x1', 'late', 'a/x2']);
});

test('who waits no longer has no turn, and leaves no group behind', () => {
  const turns = waiting('a/x', 'b/x');
  turns.remove(['a', 'x'], 'a/x0');
  turns.remove(['c', 'x'], 'nobody');
  expect(turns.next()).toBe('b/x1');
  expect(turns.isEmpty).toBe(true);
});
