import { sentences } from './sentences.ts';

/** What an interruption aborts. With `once` a second one ends the process at once. Unless it is called, the first one does. */
export type Ending = (how?: 'once') => AbortSignal;

/** A command: gets the words after its name, and answers its exit code. What it throws is told to the user. */
export type Run = (words: readonly string[], ending: Ending) => Promise<number>;

/** Exit code of a program that Ctrl-C ended. */
const INTERRUPTED = 130;

/** Runs a command; returns its exit code, that of an interruption, or 1 after it has told of an error. */
export async function runCommand(run: Run, words: readonly string[]): Promise<number> {
  const interruption = new AbortController();
  const ending: Ending = (how) => {
    const listen = how === 'once' ? process.once.bind(process) : process.on.bind(process);
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) listen(name, () => interruption.abort());
    return interruption.signal;
  };
  try {
    return await run(words, ending);
  } catch (error) {
    if (interruption.signal.aborted) return INTERRUPTED;
    process.stderr.write(`${sentences(error)}\n`);
    return 1;
  }
}

/** Answers `--help` on stdout, and says on stderr why words are refused; returns the exit code. */
export function answer(asked: { do: 'help' } | { do: 'refuse'; why: string }, help: string): number {
  if (asked.do === 'help') process.stdout.write(help);
  else process.stderr.write(`${asked.why}\n`);
  return asked.do === 'help' ? 0 : 2;
}
