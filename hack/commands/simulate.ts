import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findingText, replayText } from '../../test/simulation/report.ts';
import { type Outcome, simulate } from '../../test/simulation/run.ts';
import { SEEDS } from '../testing/rungs.ts';

/**
 * `bun run sim [--seeds N] [--from M] [--jobs J]`: runs the controller in a simulated world, N times (500) from seed M
 * (1) on, in J processes (2). Prints what breaks, with its seed, and ends with code 1 when anything did.
 * `bun run sim --seed N` runs one seed and prints its whole log.
 */

/** What a shard is run by. */
const MAIN = join(import.meta.dir, '../main.ts');

const USUAL = { seeds: SEEDS, from: 1, jobs: Math.min(2, cpus().length) };

/** Findings that are explained at length; more of them mostly say the same. */
const EXPLAINED = 3;

const FLAGS = {
  seed: { type: 'string' },
  seeds: { type: 'string' },
  from: { type: 'string' },
  jobs: { type: 'string' },
  shard: { type: 'string' },
} as const;

type Values = { [flag in keyof typeof FLAGS]?: string };

/** A whole number that was given, or the usual one. Throws a sentence for what is none. */
function numberOf(values: Values, flag: keyof typeof USUAL): number {
  const given = Number(values[flag] ?? USUAL[flag]);
  if (Number.isSafeInteger(given) && given >= 1) return given;
  throw new Error(`bun run sim takes a whole number from 1 on with --${flag}, not "${values[flag]}"`);
}

/** So many seeds in one round of processes: a process keeps some megabytes of each that it has run. */
const ROUND = 1_000;

/** Every J-th seed, and a line of JSON for each finding. */
function runShard(shard: number, { from, seeds, jobs }: typeof USUAL): void {
  for (let seed = from + shard; seed < from + seeds; seed += jobs) {
    const outcome = simulate({ seed });
    if (outcome.finding) console.log(JSON.stringify(outcome));
  }
}

async function runShards(wish: typeof USUAL): Promise<Outcome[]> {
  const flags = Object.entries(wish).flatMap(([flag, value]) => [`--${flag}`, String(value)]);
  const shards = Array.from({ length: wish.jobs }, (_, shard) => {
    const child = Bun.spawn([process.execPath, MAIN, 'simulate', ...flags, '--shard', String(shard)], {
      stderr: 'inherit',
    });
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill());
    return linesOf(child);
  });
  const lines = (await Promise.all(shards)).flat();
  return lines.map((line) => JSON.parse(line) as Outcome).sort((a, b) => a.seed - b.seed);
}

/** What a shard has printed. Throws an Error when it died. */
async function linesOf(child: Bun.Subprocess<'ignore', 'pipe', 'inherit'>): Promise<string[]> {
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`a process of the simulation ended with code ${child.exitCode}`);
  return text.split('\n').filter(Boolean);
}

async function runRounds({ from, seeds, jobs }: typeof USUAL): Promise<Outcome[]> {
  const found: Outcome[] = [];
  for (let done = 0; done < seeds; done += ROUND)
    found.push(...(await runShards({ from: from + done, seeds: Math.min(ROUND, seeds - done), jobs })));
  return found;
}

async function runAll(wish: typeof USUAL): Promise<number> {
  const start = performance.now();
  const found = await runRounds(wish);
  const seconds = (performance.now() - start) / 1000;
  for (const outcome of found.slice(0, EXPLAINED)) console.log(`${findingText(outcome)}\n`);
  const others = found.slice(EXPLAINED).map(({ seed, finding }) => `${seed} (${finding?.invariant})`);
  if (others.length > 0) console.log(`also: ${others.join(', ')}`);
  const rate = (wish.seeds / seconds).toFixed(0);
  console.log(
    `${wish.seeds} seeds from ${wish.from} on, ${found.length} findings, in ${seconds.toFixed(0)} s: ${rate} a second`,
  );
  return found.length > 0 ? 1 : 0;
}

/** Runs one seed, some, or a process's share of them. */
export async function run(words: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...words], options: FLAGS });
  if (values.seed !== undefined) {
    console.log(replayText(Number(values.seed)));
    return 0;
  }
  const wish = { seeds: numberOf(values, 'seeds'), from: numberOf(values, 'from'), jobs: numberOf(values, 'jobs') };
  if (values.shard === undefined) return runAll(wish);
  runShard(Number(values.shard), wish);
  return 0;
}
