import { functionLengths } from './functions.ts';
import { lineCount } from './size.ts';
import type { Source } from './source.ts';

/** One line about the sizes of files and functions, to see where they drift. */
export function statistics(sources: readonly Source[]): string {
  const files = describe(sources.map(({ text }) => lineCount(text)));
  const functions = describe(sources.flatMap(functionLengths));
  return `${sources.length} files, lines ${files}; functions, lines ${functions}`;
}

function describe(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  const share = (part: number) => sorted[Math.floor(part * (sorted.length - 1))] ?? 0;
  return `median ${share(0.5)}, p90 ${share(0.9)}, most ${share(1)}`;
}
