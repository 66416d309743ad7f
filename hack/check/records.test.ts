import { expect, test } from 'bun:test';
import { recordsLint } from './records.ts';

const record = (name: string, heading: string) => ({ path: `hack/decisions/${name}.md`, text: `${heading}\n\ntext` });

test.each([
  ['has a number of its own', [record('0001-a', '# 1. A'), record('0002-b', '# 2. B')], []],
  [
    'has no other’s number',
    [record('0001-a', '# 1. A'), record('0001-b', '# 1. B')],
    ['another decision has the number 0001 already'],
  ],
  ['says its number', [record('0002-a', '# 1. A')], ['the heading must begin with "# 2. "']],
  ['is the only kind of file that is looked at', [{ path: 'README.md', text: '# Drover' }], []],
])('a record of a decision %s', (_what, files, message) => {
  expect(recordsLint(files).map((finding) => finding.message)).toEqual(message);
});
