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

/** Flags of `bun test` whose value is the next word. */
const VALUED: ReadonlySet<string> = new Set([
  '-t',
  '--test-name-pattern',
  '--timeout',
  '--rerun-each',
  '--retry',
  '--seed',
  '--max-concurrency',
  '--preload',
  '--reporter',
  '--reporter-outfile',
  '--coverage-reporter',
  '--coverage-dir',
]);

/** Extra words that are no flags, nor values of flags, name files or folders: those pick tests, and the rest goes to bun. */
export function pick(files: readonly string[], extra: readonly string[]): { files: string[]; flags: string[] } {
  const paths = pathsIn(extra);
  return {
    files: files.filter((file) => paths.length === 0 || paths.some((path) => leads(path, file))),
    flags: extra.filter((word, at) => !isPath(word, extra[at - 1])),
  };
}

/** The paths that lead to no test, as a sentence: bun would run all others instead. Undefined when there are none. */
export function strayPaths(files: readonly string[], extra: readonly string[]): string | undefined {
  const stray = pathsIn(extra).filter((path) => !files.some((file) => leads(path, file)));
  if (stray.length === 0) return undefined;
  return `the rungs that are asked for have no test at ${stray.join(', ')}: name files or folders as seen from here, such as ./controller/runtime`;
}

const pathsIn = (extra: readonly string[]): string[] => extra.filter((word, at) => isPath(word, extra[at - 1]));

const isPath = (word: string, previous = ''): boolean => !word.startsWith('-') && !VALUED.has(previous);

const leads = (path: string, file: string): boolean => `${file}/`.startsWith(`${path.replace(/^\.\/|\/$/g, '')}/`);
