import { expect, test } from 'bun:test';
import { readCommand } from './commandline.ts';
import { controllerProgram } from './controller.ts';

const read = (...args: string[]) => readCommand(controllerProgram, { args, env: {} }, () => '1.2.3');

test('a program is told its settings, and warned', () => {
  expect(read('--port=1', '--v=2')).toMatchObject({
    run: true,
    settings: { port: 1 },
    warnings: ['--v has no effect: Drover logs JSON lines; see --log-level'],
  });
});

test.each([
  [['--version'], '1.2.3', 0],
  [['--prot=1', '--port=x', '--version'], '1.2.3', 0],
  [
    ['--portt=1', '--log-level=x'],
    '--portt is not a flag of this program; did you mean --port?\n--log-level: "x" is not one of debug, info, warn, error',
    2,
  ],
] as const)('%p prints %p and ends with %p', (args, text, exitCode) => {
  expect(read(...args)).toEqual({ run: false, text, exitCode });
});

test('--help prints the help, whatever else is wrong', () => {
  expect(read('--help', '--nonsense')).toMatchObject({
    run: false,
    exitCode: 0,
    text: expect.stringContaining('Usage: '),
  });
});
