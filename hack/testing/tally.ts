/** How many tests ended how; a static check counts as one test. */
export interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

/** The sum of some tallies. */
export const total = (tallies: readonly Tally[]): Tally => ({
  passed: tallies.reduce((sum, { passed }) => sum + passed, 0),
  failed: tallies.reduce((sum, { failed }) => sum + failed, 0),
  skipped: tallies.reduce((sum, { skipped }) => sum + skipped, 0),
});

/** As the last line of a run says it; skipped tests are mentioned if there are any. */
export const tallyText = ({ passed, failed, skipped }: Tally): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
