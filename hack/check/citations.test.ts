import { expect, test } from 'bun:test';
import { citationsLint } from './citations.ts';

const page = { path: 'hack/spec/mcm.md', text: '# MCM\n\n## 6.4 Creation\n\n### 6.4a Memo\n\n## Annex B: examples' };
const record = { path: 'hack/decisions/0000-begin.md', text: '# 0. Begin\n\n### 7 Safety' };
const citing = (text: string, path = 'controller/a.ts') => ({ path, text });

test.each([
  ['there', [page, citing('// (hack/spec/mcm.md 6.4, step 4; hack/spec/mcm.md Annex B)')], []],
  ['there, in a record', [record, citing('// (hack/decisions/0000 7)')], []],
  [
    'not there',
    [page, citing('\n/** Why (hack/spec/mcm.md 6.5). */')],
    ['2: there is no section hack/spec/mcm.md 6.5'],
  ],
  [
    'a part that is not there',
    [page, citing('// hack/spec/mcm.md 6.4b', 'hack/decisions/0001-a.md')],
    ['1: there is no section hack/spec/mcm.md 6.4b'],
  ],
  [
    'one of several',
    [page, citing('// hack/spec/mcm.md 6.4, 6.7 and 9.3')],
    ['6.7', '9.3'].map((number) => `1: there is no section hack/spec/mcm.md ${number}`),
  ],
  ['of no page', [citing('// hack/spec/other.md 2.8')], ['1: there is no section hack/spec/other.md 2.8']],
  ['a version', [citing('MCM 0.60 itself', 'hack/decisions/0001-a.md')], []],
  [
    'told by a word that nobody can open',
    [citing('// (MCM 6.4, CKV F2, VMOP 2.8, decisions 7)')],
    ['MCM 6.4', 'CKV F2', 'VMOP 2', 'decisions 7'].map(
      (word) => `1: "${word}" leads nowhere: cite a page of hack/spec, a record or a file`,
    ),
  ],
])('a section that is %s', (_what, files, message) => {
  expect(citationsLint(files).map((one) => `${one.line}: ${one.message}`)).toEqual(message);
});
