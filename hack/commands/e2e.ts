import { cases as all } from '../../test/e2e/cases.ts';
import { claim } from '../../test/e2e/claim.ts';
import { openCluster, runOn } from '../../test/e2e/cluster.ts';
import { type E2eOptions, help, readOptions, unknownCases } from '../../test/e2e/options.ts';
import { type Outcome, outcomeText, tallyOf } from '../../test/e2e/outcome.ts';
import { leave } from '../../test/e2e/prepare.ts';
import { runCases } from '../../test/e2e/run.ts';
import { sceneOf } from '../../test/e2e/runcase.ts';
import { dockerUnavailable } from '../kind/docker.ts';
import { answer, type Ending } from '../lib/command.ts';
import { elapsed } from '../lib/progress.ts';
import { tallyText } from '../testing/tally.ts';

/** `./hack/e2e`: runs the cases of test/e2e on a cluster. The last line is the tally. */

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

const list = (): string => all.map(({ name, shows }) => `${name.padEnd(20)} ${shows}\n`).join('');

/** Runs the cases, or lists them. */
export async function run(words: readonly string[], ending: Ending): Promise<number> {
  const asked = readOptions(words, process.env, Math.floor(Math.random() * 2 ** 31));
  if (asked.do === 'help' || asked.do === 'refuse') return answer(asked, help);
  if (asked.do === 'list') return answer({ do: 'help' }, list());
  const names = all.map(({ name }) => name);
  const unknown = unknownCases(asked.options.cases, names);
  if (unknown !== undefined) return answer({ do: 'refuse', why: unknown }, help);
  const signal = ending();
  const tally = tallyOf(await runOnCluster(asked.options, signal));
  console.log(`in ${elapsed(performance.now())}`);
  console.log(tallyText(tally));
  signal.throwIfAborted();
  return tally.failed > 0 ? 1 : 0;
}
