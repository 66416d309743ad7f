import type { Tally } from '../../hack/testing/tally.ts';

/** How a case ended. */
export interface Outcome {
  name: string;
  end: 'passed' | 'failed' | 'skipped';
  /** Why it failed or was skipped; empty when it passed. */
  why: string;
  seconds: number;
  /** Where is kept what was seen of a case that failed. */
  folder?: string;
}

/** A line for a case that passed or was skipped; one that failed has more to say. */
export function outcomeText({ name, end, why, seconds, folder }: Outcome): string {
  const head = `${end.padEnd(7)} ${seconds.toFixed(1).padStart(6)} s  ${name}`;
  if (end === 'passed') return head;
  if (end === 'skipped') return `${head}: ${why}`;
  const kept = folder === undefined ? [] : [`what was seen is in ${folder}`];
  return [`${head}:`, ...[...why.split('\n'), ...kept].map((line) => `                   ${line}`)].join('\n');
}

/** How many cases ended how. */
export const tallyOf = (outcomes: readonly Outcome[]): Tally => ({
  passed: outcomes.filter(({ end }) => end === 'passed').length,
  failed: outcomes.filter(({ end }) => end === 'failed').length,
  skipped: outcomes.filter(({ end }) => end === 'skipped').length,
});
