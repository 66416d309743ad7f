import { onlyNamed, rungs, testFilesOf } from './testing/rungs.ts';
import type { Stage } from './testing/stage.ts';
import { type Tally, tallyText, total } from './testing/tally.ts';
import { readWords, refusal, strayPaths } from './testing/words.ts';

/**
 * `./hack/test [rung ...] [-- files or flags for bun test]`: runs the named rungs, or all but `long`. Goes on after a failed stage,
 * ends with what failed and one line of sums, and with code 1 when anything failed.
 */

async function runStage(stage: Stage, signal: AbortSignal): Promise<Tally> {
  console.log(`\n=== ${stage.name}: ${stage.shows}`);
  const start = performance.now();
  const tally = await stage.run(signal);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`--- ${stage.name}: ${tallyText(tally)} in ${seconds} s`);
  return tally;
}

async function runStages(stages: readonly Stage[], signal: AbortSignal): Promise<number> {
  const tallies: Tally[] = [];
  for (const stage of stages) if (!signal.aborted) tallies.push(await runStage(stage, signal));
  const sum = total(tallies);
  if (signal.aborted) console.log('\ninterrupted');
  if (sum.failures) console.log(['\nfailed:', ...sum.failures.map((text) => `  ${text}`)].join('\n'));
  console.log(`\n${tallyText(sum)}`);
  return sum.failed > 0 || signal.aborted ? 1 : 0;
}

const { names, extra } = readWords(process.argv.slice(2));
const isChosen = (name: string) => (names.length === 0 ? !onlyNamed.has(name) : names.includes(name));
const chosen = Object.entries(rungs).filter(([name]) => isChosen(name));
const refused = refusal(names, Object.keys(rungs)) ?? strayPaths(testFilesOf(chosen.map(([name]) => name)), extra);
if (refused !== undefined) {
  console.error(refused);
  process.exit(2);
}
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());
const seed = Math.floor(Math.random() * 2 ** 31);
process.exit(
  await runStages(
    chosen.flatMap(([, stagesOf]) => stagesOf({ extra, seed })),
    ending.signal,
  ),
);
