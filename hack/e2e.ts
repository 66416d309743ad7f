import { cases as all } from '../test/e2e/cases.ts';
import { claim } from '../test/e2e/claim.ts';
import { openCluster, runOn } from '../test/e2e/cluster.ts';
import { type E2eOptions, help, readOptions, unknownCases } from '../test/e2e/options.ts';
import { type Outcome, outcomeText, tallyOf } from '../test/e2e/outcome.ts';
import { leave } from '../test/e2e/prepare.ts';
import { runCases, sceneOf } from '../test/e2e/run.ts';
import { dockerUnavailable } from './kind/docker.ts';
import { elapsed } from './progress.ts';
import { sentences } from './sentences.ts';
import { tallyText } from './testing/tally.ts';

/** `./hack/e2e`: runs the cases of test/e2e on a cluster. The last line is the tally. */

/** Exit code of a program that Ctrl-C ended. */
const INTERRUPTED = 130;

/** How long it may take to leave the user's cluster as it was, also after an interruption. */
const LEAVING_MS = 300_000;

/** Runs the cases that are asked for; where no cluster can be made, all of them are skipped. */
async function runOnCluster(options: E2eOptions, signal: AbortSignal): Promise<Outcome[]> {
  const chosen = all.filter(({ name }) => options.cases.length === 0 || options.cases.includes(name));
  const why = options.kubeconfig === undefined ? await dockerUnavailable() : undefined;
  if (why !== undefined) {
    console.log(`${why}\n`);
    return chosen.map(({ name }) => skipped(name, 'no cluster can be made, see above'));
  }
  await using cluster = await openCluster(options);
  console.log(`cluster ready after ${elapsed(performance.now())}; order of seed ${options.seed}`);
  if (cluster.way !== '') console.log(cluster.way);
  const report = (outcome: Outcome) => console.log(outcomeText(outcome));
  const run = runOn(cluster, { ...options, signal, report });
  await claim(sceneOf(run, 'default'));
  const outcomes = await runCases(chosen, run);
  if (options.kubeconfig !== undefined && !options.keep)
    await leave(sceneOf(run, 'default', AbortSignal.timeout(LEAVING_MS)));
  return outcomes;
}

function skipped(name: string, why: string): Outcome {
  const outcome: Outcome = { name, end: 'skipped', why, seconds: 0 };
  console.log(outcomeText(outcome));
  return outcome;
}

async function main(options: E2eOptions): Promise<number> {
  const ending = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => ending.abort());
  try {
    const tally = tallyOf(await runOnCluster(options, ending.signal));
    console.log(`in ${elapsed(performance.now())}`);
    console.log(tallyText(tally));
    return ending.signal.aborted ? INTERRUPTED : tally.failed > 0 ? 1 : 0;
  } catch (error) {
    console.error(ending.signal.aborted ? 'interrupted' : sentences(error));
    return ending.signal.aborted ? INTERRUPTED : 1;
  }
}

const list = (): string => all.map(({ name, shows }) => `${name.padEnd(20)} ${shows}\n`).join('');

const words = process.argv.slice(2);
const asked = readOptions(words, process.env, Math.floor(Math.random() * 2 ** 31));
const unknown =
  asked.do === 'run'
    ? unknownCases(
        asked.options.cases,
        all.map(({ name }) => name),
      )
    : undefined;
if (asked.do === 'run' && unknown === undefined) process.exit(await main(asked.options));
const refusal = asked.do === 'refuse' ? asked.why : unknown;
if (refusal !== undefined) {
  console.error(refusal);
  process.exit(2);
}
process.stdout.write(asked.do === 'help' ? help : list());
