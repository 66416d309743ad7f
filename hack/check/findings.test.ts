import { expect, test } from 'bun:test';
import { findingsLint } from './findings.ts';

const record = (...rows: string[]) => ({
  path: 'hack/decisions/0028-answer-a.md',
  text: `# 28. A\n\n${rows.join('\n')}`,
});
const file = (text: string) => ({ path: 'test/a.ts', text });
const row = '| W1 | could | holds (0035) | `test/a.ts` |';

test.each([
  ['a test that is there and cites it', [record(row), file('// hack/decisions/0028 W1')], []],
  ['a test that cites it among others', [record(row), file('/** Held (hack/decisions/0028 W4, W1). */')], []],
  ['a test that is gone', [record(row)], ['3: W1 names test/a.ts, which is not there']],
  [
    'a test that cites another',
    [record(row), file('// hack/decisions/0028 W11')],
    ['3: test/a.ts does not say "hack/decisions/0028 W1"'],
  ],
  ['no test', [record('| W1 | could | holds | `bun run bench` |')], ['3: W1 names no test']],
  [
    'no number, as a heading',
    [record('| | what could be done | what holds now | shown by |', '|---|---|---|---|')],
    [],
  ],
])('a row of the findings that has %s', (_what, files, message) => {
  expect(findingsLint(files).map((one) => `${one.line}: ${one.message}`)).toEqual(message);
});
