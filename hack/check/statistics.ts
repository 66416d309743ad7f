import { functionLengths } from './functions.ts';
import { lineCount } from './size.ts';
import type { Finding, Source } from './source.ts';

/** Lines of half of the files or functions, of nine tenths, and of the longest. */
export interface Spread {
  median: number;
  p90: number;
  most: number;
}

/** How long files and functions are. */
export interface Statistics {
  files: Spread;
  functions: Spread;
}

/** What half and nine tenths of all should stay below; the limit of each single one is its lint's. */
const FILE_BUDGET = { median: 80, p90: 200 };
const FUNCTION_BUDGET = { median: 10, p90: 40 };

/** Measures all files together. */
export const statistics = (sources: readonly Source[]): Statistics => ({
  files: spread(sources.map(({ text }) => lineCount(text))),
  functions: spread(sources.flatMap(functionLengths)),
});

/** Finds budgets that the project as a whole has left. */
export const budgetFindings = ({ files, functions }: Statistics): Finding[] => [
  ...over('files', files, FILE_BUDGET),
  ...over('functions', functions, FUNCTION_BUDGET),
];

/** One line for the reader. */
export const statisticsText = ({ files, functions }: Statistics): string =>
  `lines of files: ${spreadText(files)}; of functions: ${spreadText(functions)}`;

const spreadText = ({ median, p90, most }: Spread): string => `median ${median}, p90 ${p90}, most ${most}`;

function over(what: string, { median, p90 }: Spread, budget: Pick<Spread, 'median' | 'p90'>): Finding[] {
  if (median <= budget.median && p90 <= budget.p90) return [];
  const says = `the ${what} have median ${median} and p90 ${p90} lines, the budget is ${budget.median} and ${budget.p90}`;
  return [{ path: '.', line: 1, says }];
}

/** The spread of some numbers; all 0 when there are none. */
export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const share = (part: number) => sorted[Math.floor(part * (sorted.length - 1))] ?? 0;
  return { median: share(0.5), p90: share(0.9), most: share(1) };
}
