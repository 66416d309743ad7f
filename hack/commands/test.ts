import { answer, type Ending } from '../lib/command.ts';
import { runStages } from '../testing/run.ts';
import { onlyNamed, rungs, testFilesOf } from '../testing/rungs.ts';
import type { Stage } from '../testing/stage.ts';
import { tallyText } from '../testing/tally.ts';
import { readWords, refusal, strayPaths } from '../testing/words.ts';

/**
 * `./hack/test [rung ...] [-- files or flags for bun test]`: runs the named rungs, or all but `long`. Goes on after a failed stage,
 * ends with what failed and one line of sums, and with code 1 when anything failed.
 */

/** Ends with what failed, and the sums. Returns the exit code. */
async function runAll(stages: readonly Stage[], signal: AbortSignal): Promise<number> {
  const sum = await runStages(stages, signal);
  if (signal.aborted) console.log('\ninterrupted');
  if (sum.failures) console.log(['\nfailed:', ...sum.failures.map((text) => `  ${text}`)].join('\n'));
  console.log(`\n${tallyText(sum)}`);
  return sum.failed > 0 || signal.aborted ? 1 : 0;
}

/** Runs the rungs that are named. */
export async function run(words: readonly string[], ending: Ending): Promise<number> {
  const { names, extra } = readWords(words);
  const isChosen = (name: string) => (names.length === 0 ? !onlyNamed.has(name) : names.includes(name));
  const chosen = Object.entries(rungs).filter(([name]) => isChosen(name));
  const refused = refusal(names, Object.keys(rungs)) ?? strayPaths(testFilesOf(chosen.map(([name]) => name)), extra);
  if (refused !== undefined) return answer({ do: 'refuse', why: refused }, '');
  const seed = Math.floor(Math.random() * 2 ** 31);
  const stages = chosen.flatMap(([, stagesOf]) => stagesOf({ extra, seed }));
  return runAll(stages, ending('once'));
}
