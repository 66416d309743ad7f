import { expect, test } from 'bun:test';
import { displayOn, type Row } from './display.ts';

const row = (machine: string, phase: string): Row => ({
  machine,
  phase,
  node: phase === 'Running' ? 'ready' : 'none',
  reason: 'Some',
});

function shown(isTTY: boolean, steps: ReadonlyArray<readonly Row[]>): string {
  let text = '';
  const write = (part: string) => {
    text += part;
  };
  const display = displayOn({ isTTY, write });
  for (const [index, rows] of steps.entries()) display(rows, index);
  return text;
}

test('without a terminal each change is a line', () => {
  const steps = [[row('a', 'Creating')], [row('a', 'Creating'), row('b', 'Creating')], [row('a', 'Running')]];
  expect(shown(false, steps)).toBe(
    [
      '   0.0 s  a  Creating     node none       Some',
      '   1.0 s  b  Creating     node none       Some',
      '   2.0 s  a  Running      node ready      Some',
      '   2.0 s  b  gone',
      '',
    ].join('\n'),
  );
});

test('on a terminal the table is drawn over itself', () => {
  const text = shown(true, [[row('a', 'Creating')], [row('a', 'Running')]]);
  const [first, second] = text.split('\x1b[2A\x1b[0J');
  expect(first).toBe('\x1b[0J1 machines, 0 Running, 0 Nodes ready, 0.0 s\n  a  Creating     node none       Some\n');
  expect(second).toBe('1 machines, 1 Running, 1 Nodes ready, 1.0 s\n  a  Running      node ready      Some\n');
});

test('of a large herd a terminal shows those that are not done, and never more than twelve', () => {
  const rows = Array.from({ length: 50 }, (_, index) => row(`m${index}`, index % 2 ? 'Running' : 'Creating'));
  const lines = shown(true, [rows]).trimEnd().split('\n');
  expect(lines).toHaveLength(13);
  expect(lines.slice(1).every((line) => line.includes('Creating'))).toBe(true);
});
