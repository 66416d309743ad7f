import { expect, test } from 'bun:test';
import { talliedStage } from './stage.ts';

const tallyOf = (script: string) => talliedStage('trial', ['-e', script]).run(new AbortController().signal);

test.each([
  ['the last tally counts', 'console.log("1 passed, 0 failed\\n2 passed, 0 failed, 3 skipped")', [2, 0, 3]],
  ['failures count once', 'console.log("2 passed, 1 failed"); process.exit(1)', [2, 1, 0]],
  ['a bad end is a failure', 'console.log("2 passed, 0 failed"); process.exit(1)', [2, 1, 0]],
  ['no tally is a failure', 'console.log("all well")', [0, 1, 0]],
])('%s', async (_what, script, expected) => {
  const { passed, failed, skipped } = await tallyOf(script);
  expect([passed, failed, skipped]).toEqual(expected);
});

test('what a program says to have failed is repeated', async () => {
  const { failures } = await tallyOf(
    'console.log("failed  3 s  upgrade: no answer\\n1 passed, 1 failed"); process.exit(1)',
  );
  expect(failures).toEqual(['trial: failed  3 s  upgrade: no answer']);
});
