import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runBun, type Surroundings } from './command.ts';
import type { Tally } from './tally.ts';

/** Test files for one `bun test`. */
export interface BunTests {
  /** Seen from the folder in which bun runs. */
  files: readonly string[];
  flags: readonly string[];
  /** Variables beside those of this process. */
  env?: Readonly<Record<string, string>>;
  /** Files that run at a time, each in one of that many processes; one process for all of them unless told. */
  atOnce?: number;
  /** Files that begin first, until it is known how long each takes: then the longest do. */
  long?: readonly string[];
}

/** A tally, and a sentence about each failure that bun's own output does not show. */
export interface Judged {
  tally: Tally;
  remarks: string[];
}

/** Runs test files and counts their tests. */
export async function runBunTests(tests: BunTests, surroundings: Surroundings): Promise<Judged> {
  const { files, flags, env, atOnce = 1, long = [] } = tests;
  if (files.length === 0) return failure('there is no test file');
  const scratch = await mkdtemp(join(tmpdir(), 'drover-test-'));
  const outfile = join(scratch, 'junit.xml');
  const times = join(scratch, 'times.json');
  const folder = surroundings.folder ?? '.';
  const isShared = atOnce > 1 && files.length > 1;
  if (isShared) await lendTimes(folder, times, long);
  const reporter = ['--reporter=junit', `--reporter-outfile=${outfile}`];
  const words = [
    'test',
    ...flags,
    ...(isShared ? sideBySide(atOnce, times) : []),
    ...reporter,
    ...files.map((file) => `./${file}`),
  ];
  const exitCode = await runBun(words, { ...surroundings, env });
  const report = (await Bun.file(outfile).exists()) ? await Bun.file(outfile).text() : undefined;
  if (isShared) await keepTimes(folder, times);
  await rm(scratch, { recursive: true });
  return report === undefined
    ? failure(`bun ended with code ${exitCode} and no report`)
    : judge(report, exitCode, files);
}

/** Files of one process share its modules, and with them what `controlPlane()` started. */
const sideBySide = (atOnce: number, times: string): string[] => [
  `--parallel=${atOnce}`,
  '--no-isolate',
  `--timings=${times}`,
  '--update-timings',
];

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

/** So much of a failure's message is repeated: the rest stands where the test ran. */
const MOST_CHARACTERS = 300;

/**
 * What failed according to a JUnit report of `bun test`: one text a test, `file > group > test: message`. A run's last lines
 * repeat them, for whoever sees only the end of a long log.
 */
function failuresIn(report: string): string[] {
  const found = report.matchAll(/<testcase ([^>]*[^/])>\s*<failure([^>]*)>/g);
  return [...found].map(([, test = '', failure = '']) => {
    const groups = attribute(test, 'classname').split(' > ').reverse();
    const path = [attribute(test, 'file'), ...groups, attribute(test, 'name')].filter(Boolean).join(' > ');
    return `${path}: ${shortened(attribute(failure, 'message'))}`;
  });
}

const attribute = (text: string, name: string): string =>
  plain(new RegExp(`(?:^| )${name}="([^"]*)"`).exec(text)?.[1] ?? '');

const shortened = (message: string): string =>
  message.length > MOST_CHARACTERS ? `${message.slice(0, MOST_CHARACTERS)} …` : message;

/** The text behind an attribute of XML, on one line. */
const plain = (text: string): string =>
  text
    .replaceAll(/(?:&#10;)+/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&')
    .trim();

/** How long each test file took, in the words of `bun test --timings`. */
interface Times {
  version: 1;
  /** Milliseconds by file. */
  files: Record<string, number>;
}

/** Where they are kept, seen from the folder in which bun runs. */
const KEPT = '.drover/test-times.json';
/** Taken for what a long file takes until it is known. */
const LONG_MS = 60_000;

/** Writes what is known of earlier runs to a file for bun, with a guess at those that are long and not known. */
export async function lendTimes(folder: string, file: string, long: readonly string[]): Promise<void> {
  const guessed = Object.fromEntries(long.map((name) => [name, LONG_MS]));
  const times: Times = { version: 1, files: { ...guessed, ...(await keptTimes(join(folder, KEPT))) } };
  await Bun.write(file, JSON.stringify(times));
}

/** Keeps what bun has written there, whole or not at all: other runs may do so at the same time. */
export async function keepTimes(folder: string, file: string): Promise<void> {
  const kept = join(folder, KEPT);
  const part = `${kept}.${crypto.randomUUID()}`;
  await mkdir(dirname(kept), { recursive: true });
  await Bun.write(part, Bun.file(file));
  await rename(part, kept);
}

/** None where nothing is kept, or nothing that can be read: they decide an order, and nothing else. */
async function keptTimes(path: string): Promise<Times['files']> {
  try {
    return ((await Bun.file(path).json()) as Times).files;
  } catch {
    return {};
  }
}
