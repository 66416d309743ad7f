import { attach, restore } from '../attachment/attach.ts';
import { help, readOptions } from '../attachment/options.ts';
import { answer, type Ending } from '../lib/command.ts';
import { sentences } from '../lib/sentences.ts';

/** `./hack/attach`: the controller of the working tree, in place of the deployed one. */

/** Runs it; an error of putting the Deployment back is told also after an interruption. */
export async function run(words: readonly string[], ending: Ending): Promise<number> {
  const asked = readOptions(words);
  if (asked.do === 'help' || asked.do === 'refuse') return answer(asked, help);
  if (asked.do === 'restore') {
    await restore(asked.options, process.stderr);
    return 0;
  }
  const signal = ending();
  try {
    return await attach(asked.options, process.stderr, signal);
  } catch (error) {
    if (!signal.aborted || error === signal.reason) throw error;
    process.stderr.write(`${sentences(error)}\n`);
    return 1;
  }
}
