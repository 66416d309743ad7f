import { expect, test } from 'bun:test';
import { readCommand } from './command.ts';
import { controllerProgram } from './controller.ts';

const read = (...args: string[]) => readCommand(controllerProgram, { args, env: {}, version: '1.2.3' });

test('help and version are printed, and all is well', () => {
  expect(read('--version')).toEqual({ do: 'print', text: '1.2.3', exitCode: 0 });
  expect(read('--port=0', '--help')).toMatchObject({ do: 'print', exitCode: 0 });
});

test('a command line without a fault runs', () => {
  expect(read('--port=0', '--v=4')).toMatchObject({ do: 'run', settings: { port: 0 }, warnings: [expect.any(String)] });
});

test('all faults are told at once, with the way to help', () => {
  const command = read('--prt=1', '--kube-api-burst=0');
  expect(command).toMatchObject({ do: 'print', exitCode: 2 });
  expect(command.do === 'print' && command.text.split('\n')).toEqual([
    '--prt is not a flag of this program; did you mean --port?',
    expect.stringContaining('--kube-api-burst: '),
    'See bun controller/main.ts --help.',
  ]);
});
