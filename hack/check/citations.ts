import type { Finding } from './source.ts';

/** The page that says what each number is about. */
const PAGE = 'hack/sources.md';
/** Where sources are cited; other pages name versions of MCM. */
const CITING = /\.ts$|^hack\/decisions\/.*\.md$/;
/** `MCM 6.4, 6.7 and 9.3`, `decisions 5 and 6`: what follows the first number are numbers of the same form. */
const CITATION =
  /\b(?:(MCM|CKV|VMOP) ((?:[A-F]?\d+(?:\.\d+)*[a-c]?|Annex [AB])\b(?:(?:, | and | to )[A-F]?\d+(?:\.\d+)+[a-c]?\b)*)|(decisions) (\d+\b(?:(?:, | and )\d+\b)*))/g;

interface TextFile {
  path: string;
  text: string;
}

/** Each source that is cited by a number is explained in hack/sources.md, and each that is explained there is cited. */
export function citationsLint(files: readonly TextFile[]): Finding[] {
  const page = files.find(({ path }) => path === PAGE)?.text.split('\n') ?? [];
  const explained = new Map(page.flatMap((line, index) => rowOf(line).map((number) => [number, index + 1] as const)));
  const citing = files.filter(({ path }) => CITING.test(path) && !path.startsWith('hack/check/'));
  const cited = citing.flatMap(citationsIn);
  const numbers = new Set(cited.map(({ number }) => number));
  return [
    ...cited
      .filter(({ number }) => !explained.has(number))
      .map(({ path, line, number }) => ({ path, line, says: `${PAGE} does not say what "${number}" is: add a row` })),
    ...[...explained]
      .filter(([number]) => !numbers.has(number))
      .map(([number, line]) => ({ path: PAGE, line, says: `nothing cites "${number}": take its row out` })),
  ];
}

const rowOf = (line: string): string[] => /^\| (\w+ [\w. ]+?) \|/.exec(line)?.slice(1) ?? [];

const citationsIn = ({ path, text }: TextFile): Array<{ path: string; line: number; number: string }> =>
  text
    .split('\n')
    .flatMap((line, index) =>
      [...line.matchAll(CITATION)].flatMap(numbersOf).map((number) => ({ path, line: index + 1, number })),
    );

const numbersOf = ([, source, numbers, decisions, more]: RegExpMatchArray): string[] =>
  (numbers ?? more ?? '').split(/, | and | to /).map((number) => `${source ?? decisions} ${number}`);
