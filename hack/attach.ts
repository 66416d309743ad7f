import { attach, restore } from './attaching/attach.ts';
import { type Asked, help, readOptions } from './attaching/options.ts';
import { sentences } from './sentences.ts';

/** `./hack/attach`: the controller of the working tree, in place of the deployed one. */

/** Exit code of a program that Ctrl-C ended. */
const INTERRUPTED = 130;

async function main(asked: Extract<Asked, { options: unknown }>): Promise<number> {
  const ending = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => ending.abort());
  try {
    if (asked.do === 'attach') return await attach(asked.options, process.stderr, ending.signal);
    await restore(asked.options, process.stderr);
    return 0;
  } catch (error) {
    const expected = ending.signal.aborted && error === ending.signal.reason;
    if (!expected) process.stderr.write(`${sentences(error)}\n`);
    return expected ? INTERRUPTED : 1;
  }
}

const asked = readOptions(process.argv.slice(2));
if (asked.do === 'attach' || asked.do === 'restore') process.exit(await main(asked));
const { text, code } = asked.do === 'help' ? { text: help, code: 0 } : { text: `${asked.why}\n`, code: 2 };
(code === 0 ? process.stdout : process.stderr).write(text);
process.exit(code);
