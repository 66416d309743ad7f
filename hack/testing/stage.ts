import { findTools } from '../tools/find.ts';
import { type BunTests, runBunTests } from './buntest.ts';
import { runBun } from './command.ts';
import { readTally, type Tally } from './tally.ts';

/** One step of a test run. */
export interface Stage {
  name: string;
  /** What is run, for the reader. */
  shows: string;
  /** Waits for nothing and knows no clock but its own: it takes what other stages leave of the processors. */
  patient?: boolean;
  /** @param print gets each line that it would print */
  run(signal: AbortSignal, print?: (line: string) => void): Promise<Tally>;
}

/** More about a program. */
interface ProgramOptions {
  /** The command that mends most of what it finds. */
  mend?: string;
  patient?: boolean;
}

/** A program, run by bun, that passes or fails as a whole. */
export const programStage = (
  name: string,
  words: readonly string[],
  { mend, patient = false }: ProgramOptions = {},
): Stage => ({
  name,
  patient,
  shows: words.filter((word) => !/^(run|--bun|--silent)$/.test(word)).join(' '),
  async run(signal, print) {
    const surroundings = { signal, patient, ...(print && { output: print }) };
    if ((await runBun(words, surroundings)) === 0) return { passed: 1, failed: 0, skipped: 0 };
    if (mend) console.log(`most of it is mended by: ${mend}`);
    return { passed: 0, failed: 1, skipped: 0, failures: [name] };
  },
});

/** A program, run by bun, whose last line is a tally of its own. One that states none, or ends badly without a failure, failed. */
export const talliedStage = (name: string, words: readonly string[]): Stage => ({
  name,
  shows: words.join(' '),
  async run(signal) {
    let tally: Tally | undefined;
    const failures: string[] = [];
    const output = (line: string) => {
      console.log(line);
      if (line.startsWith('failed ')) failures.push(`${name}: ${line}`);
      tally = readTally(line) ?? tally;
    };
    const exitCode = await runBun(words, { signal, output });
    const { passed, failed, skipped } = tally ?? { passed: 0, failed: 0, skipped: 0 };
    const unsaid = failed === 0 && (exitCode !== 0 || tally === undefined) ? 1 : 0;
    if (unsaid > 0) failures.push(`${name} ended with code ${exitCode} and told of no failure`);
    if (unsaid > 0) console.log(failures.at(-1));
    return { passed, failed: failed + unsaid, skipped, failures };
  },
});

/** Test files, each test counted. */
export const testStage = (name: string, tests: BunTests): Stage => ({
  name,
  shows: ['bun test', ...tests.flags, `(${tests.files.length} files)`].join(' '),
  async run(signal) {
    const { tally, remarks } = await runBunTests(tests, { signal });
    for (const remark of remarks) console.log(remark);
    return tally;
  },
});

/** Gets programs that tests need, which may take minutes. No test by itself, but a failed one when they cannot be had. */
export const toolsStage = (programs: readonly string[]): Stage => ({
  name: 'tools',
  shows: programs.join(', '),
  async run(signal) {
    try {
      await findTools(programs, { signal });
      return { passed: 0, failed: 0, skipped: 0 };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      console.log(message);
      return { passed: 0, failed: 1, skipped: 0, failures: [`tools: ${message}`] };
    }
  },
});
