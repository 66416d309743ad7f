import { describe, expect, test } from 'bun:test';
import { exportsLint } from './exports.ts';
import { trial } from './trial.ts';

const lint = trial(exportsLint);

const bare = 'an exported thing needs a docstring: what it is, units, shapes, errors';

describe('a docstring', () => {
  test.each([
    ['stands before a function', '/** Adds. */\nexport function f() {}', []],
    ['is missed before a function', 'const a = 1;\nexport function f() {}', [`2: ${bare}`]],
    ['is missed before a constant', 'export const a = 1;', [`1: ${bare}`]],
    ['is missed before a class', 'export class A {}', [`1: ${bare}`]],
    ['is no plain comment', '// Adds.\nexport function f() {}', [`2: ${bare}`]],
    ['is missed before an interface', 'export interface A {\n  a: 1;\n}', [`1: ${bare}`]],
    ['may be left out where members have theirs', 'export interface A {\n  /** One. */\n  a: 1;\n}', []],
    ['may be left out before a type of one line', 'export type A = 1;', []],
    ['may be left out of what is not exported', 'function f() {}', []],
    ['covers a group', '/** Two. */\nexport const a = 1;\nexport const b = 2;', []],
    ['ends its group at an empty line', '/** One. */\nexport const a = 1;\n\nexport const b = 2;', [`4: ${bare}`]],
    [
      'at the head of the file is that of the first statement',
      "/** All. */\nimport { a } from './a.ts';\n\nexport const b = 2;",
      [`4: ${bare}`],
    ],
  ])('%s', async (_what, text, found) => {
    expect(await lint('schemas/a.ts', text)).toEqual(found);
  });
});
