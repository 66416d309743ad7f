import { place } from './local/place.ts';
import { dropState, endProcesses, runningHere } from './local/takedown.ts';
import { locked } from './lock.ts';
import { sentences } from './sentences.ts';

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

const words = process.argv.slice(2);
const unknown = words.find((word) => !['--purge', '--help', '-h'].includes(word));
if (unknown !== undefined) {
  console.error(`./hack/down knows no "${unknown}"; see ./hack/down --help`);
  process.exit(2);
}
if (words.some((word) => word !== '--purge')) {
  process.stdout.write(HELP);
  process.exit(0);
}
const onWait = () => console.log('waiting for another ./hack/up or ./hack/down to end');
try {
  await locked({ file: place.lock, onWait }, () => down(words.includes('--purge')));
} catch (error) {
  console.error(sentences(error));
  process.exit(1);
}
