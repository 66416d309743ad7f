import { nearest } from '../nearest.ts';

/** What a command line may hold. */
interface KnownFlag {
  /** Name without dashes. */
  flag: string;
  /** The flag alone means true, and a word after it is not its value. */
  boolean?: boolean;
}

/** What a command line held. */
export interface GivenArguments {
  /** Texts by flag; of a flag that was given twice, the last. */
  values: Map<string, string>;
  /** Sentences about words that are no flag, and flags without a value. */
  findings: string[];
}

/** Reads `--flag=value`, `--flag value` and, for booleans, `--flag`. As in MCM, `_` in a name is as good as `-`. */
export function readArguments(args: readonly string[], known: readonly KnownFlag[]): GivenArguments {
  const given: GivenArguments = { values: new Map(), findings: [] };
  const rest = [...args];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) readWord(word, { rest, known, given });
  return given;
}

interface Reading {
  /** The words that follow; a flag takes its value from here. */
  rest: string[];
  known: readonly KnownFlag[];
  given: GivenArguments;
}

function readWord(word: string, { rest, known, given }: Reading): void {
  const [, dashed = '', assigned] = /^--?([^=-][^=]*)(?:=(.*))?$/s.exec(word) ?? [];
  const flag = dashed.replaceAll('_', '-');
  const found = known.find((one) => one.flag === flag);
  if (dashed === '') {
    given.findings.push(`${JSON.stringify(word)} is not a flag; write --flag=value`);
  } else if (found === undefined || (word[1] !== '-' && flag.length > 1)) {
    given.findings.push(unknown(word, flag, known));
    if (assigned === undefined && rest[0]?.startsWith('-') === false) rest.shift();
  } else {
    const value = assigned ?? (found.boolean ? 'true' : takeValue(rest));
    if (value === undefined) given.findings.push(`--${flag} needs a value`);
    else given.values.set(flag, value);
  }
}

/** A flag's value may be anything but another flag: a forgotten value must not swallow the next flag. */
const takeValue = (rest: string[]): string | undefined => (rest[0]?.startsWith('--') ? undefined : rest.shift());

function unknown(word: string, flag: string, known: readonly KnownFlag[]): string {
  const meant = nearest(
    flag,
    known.map((one) => one.flag),
  );
  const advice = meant === undefined ? 'see --help' : `did you mean --${meant}?`;
  return `${word.replace(/=.*/s, '')} is not a flag of this program; ${advice}`;
}
