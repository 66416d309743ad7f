import { type Outcome, simulate } from './run.ts';

/** How many lines of the log are shown, and how much of each. */
const SHOWN = { lines: 60, width: 240 };

/** Operations of a plan without which the same invariant breaks all the same. */
function needless({ seed, finding, plan }: Outcome): Set<number> {
  const without = new Set<number>();
  for (const index of plan.keys()) {
    const less = simulate({ seed, without: new Set([...without, index]) });
    if (less.finding?.invariant === finding?.invariant) without.add(index);
  }
  return without;
}

/** A finding for people: what broke, with how few operations it breaks, and the end of the log of that run. */
export function findingText(outcome: Outcome): string {
  const { seed, finding } = outcome;
  const without = needless(outcome);
  const shortest = simulate({ seed, without, record: true });
  const needed = [...shortest.plan.entries()].filter(([index]) => !without.has(index));
  const operations = needed.map(([index, { operation }]) => `${index}: ${operation}`).join(', ') || 'none';
  return [
    `seed ${seed}: ${finding?.invariant} is not so: ${finding?.says}`,
    `  operations that it takes: ${operations}; then it says: ${shortest.finding?.says}`,
    `  the end of that run's log (all of it: bun run sim --seed ${seed}):`,
    ...logTail(shortest.log).map((line) => `    ${line}`),
  ].join('\n');
}

/** The last lines of a log, cut to a readable width. */
const logTail = (log: readonly string[]): string[] =>
  log.slice(-SHOWN.lines).map((line) => (line.length > SHOWN.width ? `${line.slice(0, SHOWN.width)}…` : line));

/** One run with its whole log. */
export function replayText(seed: number): string {
  const { log, plan, finding, seconds, requests } = simulate({ seed, record: true });
  const end = finding ? `${finding.invariant} is not so: ${finding.says}` : 'nothing is wrong';
  return [
    ...log,
    '',
    `seed ${seed}: ${end}`,
    `  ${seconds} virtual seconds, ${requests} requests, ${plan.length} operations`,
  ].join('\n');
}
