import type { Finding } from './source.ts';

interface Row {
  pattern: RegExp;
  message: string;
}

/** What no line of any file may hold, whatever its language. */
const ROWS: readonly Row[] = [
  {
    pattern: /(?:\/\/|\*|#|<!--)\s*(?:TODO|FIXME|XXX)\b/,
    message: 'unfinished work belongs into an issue, not into the code',
  },
  {
    pattern: /\bregistry\.(?:npmjs|yarnpkg|npmmirror)\.|\bproxy\.golang\.|\bpypi\.org|\bcrates\.io|\brubygems\.org/i,
    message: 'a package registry is named: which one is used is a setting of the machine',
  },
  {
    pattern: /(?<![\w.~}/$-])\/(?:work|root|tmp)\/\w/,
    message: "a path of one machine is named: take it from a setting, or from the system's temporary folder",
  },
  {
    pattern: /^(?:<{7}|>{7}|\|{7}) /,
    message: 'a merge left its mark: decide which side holds',
  },
];

/** Finds such lines in any text. */
export const textLint = ({ path, text }: { path: string; text: string }): Finding[] =>
  text
    .split('\n')
    .flatMap((line, index) =>
      ROWS.filter(({ pattern }) => pattern.test(line)).map(({ message }) => ({ path, line: index + 1, message })),
    );
