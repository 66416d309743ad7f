import type { Finding } from './source.ts';

/** Where sources are cited. */
const CITING = /\.ts$|^hack\/decisions\/.*\.md$/;
/** Pages whose sections are cited by their numbers. */
const CITED = /^hack\/(?:spec\/[\w-]+\.md|decisions\/0000-.*\.md)$/;
/** `hack/spec/mcm.md 6.4, 6.7 and 9.3`, `hack/decisions/0000 5 and 6`: what follows the first number are numbers of the same form. */
const CITATION =
  /\bhack\/(spec\/[\w-]+\.md|decisions\/0000) ((?:[A-F]?\d+(?:\.\d+)*[a-c]?|Annex [AB])\b(?:(?:, | and | to )[A-F]?\d+(?:\.\d+)+[a-c]?\b)*)/g;
/** Words that nobody can open. */
const NOWHERE = /\b(?:MCM (?!0\.)\d+\.\d+|CKV [A-F]\d|VMOP \d|(?<![/\w])decisions \d)/g;
const HEADING = /^#{2,4} (Annex [AB]|[A-F]?\d+(?:\.\d+)*[a-c]?)\b/gm;

interface TextFile {
  path: string;
  text: string;
}

/** Each section of a page that is cited by its number is there, and no source is cited by a word that leads nowhere. */
export function citationsLint(files: readonly TextFile[]): Finding[] {
  const sections = new Set(files.filter(({ path }) => CITED.test(path)).flatMap(sectionsOf));
  const citing = files.filter(({ path }) => CITING.test(path) && !path.startsWith('hack/check/'));
  return citing.flatMap((file) => [
    ...each(file, CITATION)
      .flatMap(({ line, match }) => numbersOf(match).map((section) => ({ line, section })))
      .filter(({ section }) => !sections.has(section))
      .map(({ line, section }) => ({ path: file.path, line, message: `there is no section ${section}` })),
    ...each(file, NOWHERE).map(({ line, match: [word] }) => ({
      path: file.path,
      line,
      message: `"${word}" leads nowhere: cite a page of hack/spec, a record or a file`,
    })),
  ]);
}

/** `hack/spec/mcm.md 6.4`, and `hack/decisions/0000 5` by the beginning of the record's name. */
const sectionsOf = ({ path, text }: TextFile): string[] => {
  const page = path.replace(/^(hack\/decisions\/0000)-.*/, '$1');
  return [...text.matchAll(HEADING)].map(([, number]) => `${page} ${number}`);
};

const numbersOf = ([, page, numbers = '']: RegExpMatchArray): string[] =>
  numbers.split(/, | and | to /).map((number) => `hack/${page} ${number}`);

const each = ({ text }: TextFile, pattern: RegExp): Array<{ line: number; match: RegExpMatchArray }> =>
  text.split('\n').flatMap((line, index) => [...line.matchAll(pattern)].map((match) => ({ line: index + 1, match })));
