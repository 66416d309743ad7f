import type { Stage } from './stage.ts';
import { type Tally, tallyText, total } from './tally.ts';

type Print = (line: string) => void;

/**
 * Runs stages one after the other, also after one that failed, and sums up. Those that are patient run beside the ones
 * that follow them; what they print comes last.
 */
export async function runStages(stages: readonly Stage[], signal: AbortSignal): Promise<Tally> {
  const tallies: Tally[] = [];
  const besides: Array<Promise<{ tally: Tally; lines: string[] }>> = [];
  for (const [at, stage] of stages.entries()) {
    if (signal.aborted) break;
    if (stage.patient && at < stages.length - 1) besides.push(runBeside(stage, signal));
    else tallies.push(await runStage(stage, signal));
  }
  for (const { tally, lines } of await Promise.all(besides)) {
    for (const line of lines) console.log(line);
    tallies.push(tally);
  }
  return total(tallies);
}

async function runBeside(stage: Stage, signal: AbortSignal) {
  console.log(`\n=== ${stage.name} runs beside what follows`);
  const lines: string[] = [];
  const tally = await runStage(stage, signal, (line) => lines.push(line));
  return { tally, lines };
}

/** @param print gets each line; without one a stage prints as it likes */
async function runStage(stage: Stage, signal: AbortSignal, print?: Print): Promise<Tally> {
  const say = print ?? console.log;
  say(`\n=== ${stage.name}: ${stage.shows}`);
  const start = performance.now();
  const tally = await stage.run(signal, print);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  say(`--- ${stage.name}: ${tallyText(tally)} in ${seconds} s`);
  return tally;
}
