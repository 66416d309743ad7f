/** How many tests ended how; a static check counts as one test. */
export interface Tally {
  passed: number;
  failed: number;
  skipped: number;
  /** What failed, a text each, where that is known: the end of a run repeats it. */
  failures?: readonly string[];
}

/** The sum of some tallies. */
export function total(tallies: readonly Tally[]): Tally {
  const failures = tallies.flatMap(({ failures = [] }) => failures);
  return {
    passed: tallies.reduce((sum, { passed }) => sum + passed, 0),
    failed: tallies.reduce((sum, { failed }) => sum + failed, 0),
    skipped: tallies.reduce((sum, { skipped }) => sum + skipped, 0),
    ...(failures.length > 0 && { failures }),
  };
}

/** As the last line of a run says it; skipped tests are mentioned if there are any. */
export const tallyText = ({ passed, failed, skipped }: Tally): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;

/** The tally that a line states as `tallyText` writes it; undefined when the line is no such line. */
export function readTally(line: string): Tally | undefined {
  const found = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/.exec(line);
  return found ? { passed: Number(found[1]), failed: Number(found[2]), skipped: Number(found[3] ?? 0) } : undefined;
}
