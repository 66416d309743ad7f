import { expect, test } from 'bun:test';
import { mutations } from './list.ts';
import { unlisted } from './unlisted.ts';

test.each(mutations.map((mutation) => [mutation.of, mutation] as const))(
  'the code that is changed for %s stands where the list says, and so do the tests',
  async (_of, { file, text, becomes, tests }) => {
    expect((await Bun.file(file).text()).split(text).length - 1).toBe(1);
    expect(becomes).not.toBe(text);
    const there = await Promise.all(tests.map((path) => Bun.file(path).exists()));
    expect(there).toEqual(tests.map(() => true));
  },
);

const RECORD = 'hack/decisions/0051-answer-every-finding-about-machines-sets-and-promises.md';

// Who mends something adds a row to `later.ts`, or to `unlisted.ts` says why not.
test('each finding about machines and sets has a change that its test finds, or a reason why not', async () => {
  const rows = [...(await Bun.file(RECORD).text()).matchAll(/^\| ([LS]\d+[a-z]?) \|/gm)].map(([, id = '']) => id);
  const changed = new Set(mutations.map(({ of }) => of));
  expect(rows.length).toBeGreaterThan(80);
  expect(rows.filter((id) => !changed.has(id) && !(id in unlisted))).toEqual([]);
  expect(Object.keys(unlisted).filter((id) => changed.has(id))).toEqual([]);
});
