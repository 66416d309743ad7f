import { answer } from '../lib/command.ts';
import { locked } from '../lib/lock.ts';
import { place } from '../localcluster/place.ts';
import { dropState, endProcesses, runningHere } from '../localcluster/takedown.ts';

/** `./hack/down [--purge]`: ends all that `./hack/up` started; with --purge it also drops data and logs. */

const HELP = `./hack/down: ends what ./hack/up started. The data stays, and ./hack/up goes on with it.

  --purge    drop data, certificates and logs as well
  --help     this text
`;

async function down(purge: boolean): Promise<void> {
  const ended = await endProcesses();
  const left = runningHere();
  if (left.length > 0) throw new Error(`these could not be ended: ${left.join(', ')}`);
  console.log(ended.length > 0 ? `ended: ${ended.join(', ')}` : 'nothing was running');
  if (!purge) return;
  dropState();
  console.log('dropped data, certificates and logs');
}

/** Does it, or answers `--help`. */
export async function run(words: readonly string[]): Promise<number> {
  const unknown = words.find((word) => !['--purge', '--help', '-h'].includes(word));
  const why = `./hack/down knows no "${unknown}"; see ./hack/down --help`;
  if (unknown !== undefined) return answer({ do: 'refuse', why }, HELP);
  if (words.some((word) => word !== '--purge')) return answer({ do: 'help' }, HELP);
  const onWait = () => console.log('waiting for another ./hack/up or ./hack/down to end');
  await locked({ file: place.lock, onWait }, () => down(words.includes('--purge')));
  return 0;
}
