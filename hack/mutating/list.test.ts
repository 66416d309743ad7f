import { expect, test } from 'bun:test';
import { mutations } from './list.ts';

test.each(mutations.map((mutation) => [mutation.of, mutation] as const))(
  'the code that is changed for %s stands where the list says, and so do the tests',
  async (_of, { file, text, becomes, tests }) => {
    expect((await Bun.file(file).text()).split(text).length - 1).toBe(1);
    expect(becomes).not.toBe(text);
    const there = await Promise.all(tests.map((path) => Bun.file(path).exists()));
    expect(there).toEqual(tests.map(() => true));
  },
);
