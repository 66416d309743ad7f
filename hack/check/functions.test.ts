import { describe, expect, test } from 'bun:test';
import { functionsLint } from './functions.ts';
import { trial } from './trial.ts';

const lint = trial(functionsLint);
const lines = (count: number) => 'x();\n'.repeat(count);

describe('length', () => {
  test.each([
    ['40 lines', `function f() {\n${lines(38)}}`, []],
    ['41 lines', `function f() {\n${lines(39)}}`, ['1: the function has 41 lines, at most 40 are readable: split it']],
    ['a comment before it', `/**\n${' * x\n'.repeat(50)} */\nfunction f() {\n}`, []],
    [
      'an arrow',
      `const f = () => {\n${lines(40)}};`,
      ['1: the function has 42 lines, at most 40 are readable: split it'],
    ],
    [
      'a method',
      `class A {\n  f() {\n${lines(40)}}\n}`,
      ['2: the function has 42 lines, at most 40 are readable: split it'],
    ],
    ['a long class of short methods', `class A {\n${'f() {}\n'.repeat(50)}}`, []],
    ['braces in a template', `const f = () => {\n\`}\n\${x}\n{\`\n};`, []],
  ])('%s', async (_what, text, found) => {
    expect(await lint('schemas/a.ts', text)).toEqual(found);
  });

  test('a suite may be as long as it likes, a test may not', async () => {
    expect(await lint('schemas/a.test.ts', `describe('a', () => {\n${lines(50)}});`)).toEqual([]);
    expect(await lint('schemas/a.test.ts', `describe.each([1])('a', () => {\n${lines(50)}});`)).toEqual([]);
    expect(await lint('test/conformance/a.ts', `function suite() {\n${"test('a', () => {});\n".repeat(50)}}`)).toEqual(
      [],
    );
    expect(await lint('schemas/a.test.ts', `test('a', () => {\n${lines(50)}});`)).toHaveLength(1);
  });
});

test('a table counts in a program, but not in a test', async () => {
  const text = `function rows() {\nreturn [\n${'[1],\n'.repeat(50)}];\n}`;
  expect(await lint('schemas/a.ts', text)).toHaveLength(1);
  expect(await lint('schemas/a.test.ts', text)).toEqual([]);
  expect(await lint('test/admission/a.ts', text)).toEqual([]);
});

describe('parameters', () => {
  test.each([
    ['three', 'const f = (a: 1, b: 2, c: 3) => a;', []],
    ['four', 'const f = (a: 1, b: 2, c: 3, d: 4) => a;', ['1: 4 parameters are more than 3: take one object']],
    [
      'a constructor',
      'class A {\n  constructor(a, b, c, d) {}\n}',
      ['2: 4 parameters are more than 3: take one object'],
    ],
    ['an interface', 'interface A {\n  f(a, b, c, d): void;\n}', ['2: 4 parameters are more than 3: take one object']],
    ['a call', 'f(1, 2, 3, 4);', []],
  ])('%s', async (_what, text, found) => {
    expect(await lint('schemas/a.ts', text)).toEqual(found);
  });

  test('a row of a test table may have any number of columns', async () => {
    expect(await lint('schemas/a.test.ts', "test.each([])('a', (a, b, c, d, e) => {});")).toEqual([]);
  });
});

describe('nesting', () => {
  const deeper = ['4: nested deeper than 3: return early, or name the inner part as a function'];

  test.each([
    ['three levels', 'for (;;) {\nif (a) {\ntry {\nx();\n} catch {}\n}\n}', []],
    ['four levels', 'for (;;) {\nif (a) {\ntry {\nwhile (b) {}\n} catch {}\n}\n}', deeper],
    ['five levels are found once', 'for (;;) {\nif (a) {\ntry {\nwhile (b) { if (c) {} }\n} catch {}\n}\n}', deeper],
    ['else if', 'if (a) {} else if (b) {} else if (c) {} else if (d) {} else if (e) {}', []],
    ['within else if', 'if (a) {} else if (b) {\nfor (;;) {\ndo {\nif (c) {}\n} while (d)\n}\n}', deeper],
    ['a function begins anew', 'for (;;) {\nif (a) {\nif (b) {\nf(() => { if (c) {} });\n}\n}\n}', []],
  ])('%s', async (_what, text, found) => {
    expect(await lint('schemas/a.ts', `function f() {${text}}`)).toEqual(found);
  });
});
