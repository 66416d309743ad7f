import { type Mutation, mutations } from '../mutating/list.ts';

/**
 * `bun run mutations [OF]`: changes the code a little, one change after the other, and shows that a test finds each. Files are
 * put back at once; do not edit meanwhile. Ends with code 1 when a change was not found. Some minutes; run by hand.
 */

/** A change may have a test run in circles: longer than any test takes, milliseconds. */
const LIMIT_MS = 180_000;

/** What came of a change. */
async function tried({ file, text, becomes, tests }: Mutation): Promise<string> {
  const before = await Bun.file(file).text();
  if (before.split(text).length !== 2) return `the text stands ${before.split(text).length - 1} times in ${file}`;
  const restore = () => Bun.write(file, before);
  const stop = () => void restore().then(() => process.exit(130));
  process.on('SIGINT', stop);
  try {
    await Bun.write(
      file,
      before.replace(text, () => becomes),
    );
    const child = Bun.spawn([process.execPath, 'test', '--timeout=60000', ...tests.map((test) => `./${test}`)], {
      stdout: 'ignore',
      stderr: 'pipe',
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
    });
    const said = await new Response(child.stderr).text();
    const failed = [...said.matchAll(/^\(fail\) (.*?)(?: \[[\d.]+ms\])?$/gm)].map(([, title]) => title);
    const code = await child.exited;
    if (child.signalCode === 'SIGKILL') return 'found: a test does not end';
    return code === 0 || failed.length === 0 ? 'NOT FOUND' : `found: ${failed[0]}`;
  } finally {
    await restore();
    process.off('SIGINT', stop);
  }
}

/** Tries all, or those of one finding. */
export async function run([only]: readonly string[]): Promise<number> {
  const chosen = mutations.filter(({ of }) => only === undefined || of === only);
  if (chosen.length === 0) throw new Error(`there is no mutation of ${only} in hack/mutating`);
  let missed = 0;
  for (const mutation of chosen) {
    const came = await tried(mutation);
    if (!came.startsWith('found')) missed += 1;
    console.log(`| ${mutation.of} | ${mutation.file} | ${came} |`);
  }
  return missed > 0 ? 1 : 0;
}
