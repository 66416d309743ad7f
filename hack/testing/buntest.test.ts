import { describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runBunTests } from './buntest.ts';

const good = "test('good', () => {});";
const bad = "test('bad', () => { throw new Error('on purpose'); });";

/** What is told of test files of the given names and texts. */
async function judged(texts: Record<string, string>, flags: string[] = [], atOnce = 1) {
  const { tally, remarks } = await run(texts, flags, atOnce);
  return [tally.passed, tally.failed, tally.skipped, ...remarks];
}

async function run(texts: Record<string, string>, flags: string[], atOnce = 1) {
  const folder = await mkdtemp(join(tmpdir(), 'drover-judged-'));
  const head = "import { afterAll, test } from 'bun:test';\n";
  for (const [name, text] of Object.entries(texts)) await Bun.write(join(folder, name), head + text);
  const signal = new AbortController().signal;
  const ran = await runBunTests({ files: Object.keys(texts), flags, atOnce }, { signal, folder, output: 'ignore' });
  await rm(folder, { recursive: true });
  return ran;
}

test.each<[string, Record<string, string>, unknown[]]>([
  ['good and bad tests are counted', { 'a.test.ts': good + bad, 'b.test.ts': good }, [2, 1, 0]],
  ['skipped tests are counted', { 'a.test.ts': `${good}\ntest.skip('x', () => {});\ntest.todo('y');` }, [1, 0, 2]],
  [
    'a file that cannot be loaded has failed',
    { 'a.test.ts': good, 'b.test.ts': "throw new Error('at load');" },
    [1, 1, 0, 'b.test.ts could not be loaded, or holds no test'],
  ],
  [
    'a file with an error of syntax has failed',
    { 'a.test.ts': good, 'b.test.ts': 'test(' },
    [1, 1, 0, 'b.test.ts could not be loaded, or holds no test'],
  ],
  [
    'a file without a test has failed',
    { 'a.test.ts': good, 'b.test.ts': '' },
    [1, 1, 0, 'b.test.ts could not be loaded, or holds no test'],
  ],
  ['a hook that fails has failed', { 'a.test.ts': `afterAll(() => { throw new Error('x'); });\n${good}` }, [1, 1, 0]],
  [
    'a test that ends the process has failed',
    { 'a.test.ts': "test('x', () => process.exit(0));" },
    [0, 1, 0, 'bun ended with code 0 and no report'],
  ],
  [
    'a test that kills the process has failed',
    { 'a.test.ts': "test('x', () => { process.kill(process.pid, 9); });" },
    [0, 1, 0, 'bun ended with code 137 and no report'],
  ],
  ['no test file at all has failed', {}, [0, 1, 0, 'there is no test file']],
])('%s', async (_what, texts, expected) => {
  expect<unknown[]>(await judged(texts)).toEqual(expected);
});

describe('of files that run side by side', () => {
  test.each<[string, string, unknown[]]>([
    ['all tests are counted', `${good}${bad}\ntest.skip('x', () => {});`, [2, 1, 1]],
    [
      'one that cannot be loaded has failed',
      "throw new Error('at load');",
      [1, 1, 0, 'b.test.ts could not be loaded, or holds no test'],
    ],
    ['one without a test has failed', '', [1, 1, 0, 'b.test.ts could not be loaded, or holds no test']],
    ['one whose hook fails has failed', `afterAll(() => { throw new Error('x'); });\n${good}`, [2, 1, 0]],
    ['one that ends its process has failed', "test('x', () => process.exit(0));", [1, 1, 0]],
    ['one that kills its process has failed', "test('x', () => { process.kill(process.pid, 9); });", [1, 1, 0]],
  ])('%s', async (_what, text, expected) => {
    expect<unknown[]>(await judged({ 'a.test.ts': good, 'b.test.ts': text }, [], 2)).toEqual(expected);
  });

  test('each has a process of its own', async () => {
    // Waits for the other one to have begun, too.
    const waits = (own: string, other: string) =>
      `test('meets', async () => {
        await Bun.write('${own}', '');
        while (!(await Bun.file('${other}').exists())) await Bun.sleep(5);
      });`;
    expect<unknown[]>(await judged({ 'a.test.ts': waits('a', 'b'), 'b.test.ts': waits('b', 'a') }, [], 2)).toEqual([
      2, 0, 0,
    ]);
  });
});

test('a filter that fits no test has failed', async () => {
  expect(await judged({ 'a.test.ts': good }, ['-t', 'another'])).toEqual([0, 1, 1, 'bun ended with code 1, see above']);
});

test('failed tests are named with their file, groups and message', async () => {
  const late = "test('is late', () => new Promise(() => {}), 20);";
  const grouped = `import { describe } from 'bun:test';
describe('a <set>', () => { describe('that shrinks', () => { ${bad} }); });`;
  const { tally } = await run({ 'a.test.ts': grouped + late, 'b.test.ts': 'test(' }, []);
  expect(tally.failures).toEqual([
    'a.test.ts > a <set> > that shrinks > bad: on purpose',
    'a.test.ts > is late: test timed out',
    'b.test.ts could not be loaded, or holds no test',
  ]);
});
