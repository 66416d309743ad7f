import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runBun, type Surroundings } from './command.ts';
import { failuresIn } from './failures.ts';
import type { Tally } from './tally.ts';

/** Test files for one process of `bun test`. */
export interface BunTests {
  /** Seen from the folder in which bun runs. */
  files: readonly string[];
  flags: readonly string[];
  /** Variables beside those of this process. */
  env?: Readonly<Record<string, string>>;
}

/** A tally, and a sentence about each failure that bun's own output does not show. */
export interface Judged {
  tally: Tally;
  remarks: string[];
}

/** Runs test files in one process and counts their tests. */
export async function runBunTests({ files, flags, env }: BunTests, surroundings: Surroundings): Promise<Judged> {
  if (files.length === 0) return failure('there is no test file');
  const scratch = await mkdtemp(join(tmpdir(), 'drover-test-'));
  const outfile = join(scratch, 'junit.xml');
  const reporter = ['--reporter=junit', `--reporter-outfile=${outfile}`];
  const words = ['test', ...flags, ...reporter, ...files.map((file) => `./${file}`)];
  const exitCode = await runBun(words, { ...surroundings, env });
  const report = (await Bun.file(outfile).exists()) ? await Bun.file(outfile).text() : undefined;
  await rm(scratch, { recursive: true });
  return report === undefined
    ? failure(`bun ended with code ${exitCode} and no report`)
    : judge(report, exitCode, files);
}

/**
 * Counts the tests of a JUnit report. The report alone would be too kind: a file that could not be loaded is missing
 * from it, and an error outside of all tests shows in the exit code only.
 */
function judge(report: string, exitCode: number, files: readonly string[]): Judged {
  const tests = count(report, 'tests');
  const failed = count(report, 'failures');
  const skipped = count(report, 'skipped');
  const remarks = files.filter((file) => !report.includes(` file="${escaped(file)}"`)).map(notLoaded);
  if (exitCode !== 0 && failed + remarks.length === 0) remarks.push(`bun ended with code ${exitCode}, see above`);
  const failures = [...failuresIn(report), ...remarks];
  const tally = { passed: tests - failed - skipped, failed: failed + remarks.length, skipped, failures };
  return { tally, remarks };
}

const failure = (remark: string): Judged => ({
  tally: { passed: 0, failed: 1, skipped: 0, failures: [remark] },
  remarks: [remark],
});

const notLoaded = (file: string): string => `${file} could not be loaded, or holds no test`;

/** A sum of the report's head: `<testsuites … tests="3" failures="1" skipped="0" …>`. */
function count(report: string, what: string): number {
  const head = /<testsuites[^>]*>/.exec(report)?.[0] ?? '';
  return Number(new RegExp(` ${what}="(\\d+)"`).exec(head)?.[1] ?? 0);
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
