/** What the command line of `./hack/test` asks for. */
export interface Asked {
  /** Names of rungs; none means all. */
  names: string[];
  /** What stands behind `--`: files or folders to pick from the rung's, and flags for `bun test`. */
  extra: string[];
}

/** Splits the words at `--`. */
export function readWords(words: readonly string[]): Asked {
  const dashes = words.includes('--') ? words.indexOf('--') : words.length;
  return { names: words.slice(0, dashes), extra: words.slice(dashes + 1) };
}

/** The names that are no rung, as a sentence; undefined when there are none. */
export function refusal(names: readonly string[], known: readonly string[]): string | undefined {
  const strange = names.filter((name) => !known.includes(name));
  if (strange.length === 0) return undefined;
  return `there is no rung ${strange.map((name) => `"${name}"`).join(', ')}; the rungs are ${known.join(', ')}`;
}

/** Extra words that lead to test files pick those; the others are flags. */
export function pick(files: readonly string[], extra: readonly string[]): { files: string[]; flags: string[] } {
  const leads = (word: string, file: string) => `${file}/`.startsWith(`${word.replace(/^\.\/|\/$/g, '')}/`);
  const paths = extra.filter((word) => files.some((file) => leads(word, file)));
  return {
    files: files.filter((file) => paths.length === 0 || paths.some((word) => leads(word, file))),
    flags: extra.filter((word) => !paths.includes(word)),
  };
}
