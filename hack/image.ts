import { statSync } from 'node:fs';
import { relative } from 'node:path';
import { buildImages } from './imaging/build.ts';
import { buildByDocker } from './imaging/docker.ts';
import { type Asked, help, readOptions } from './imaging/options.ts';
import { withProgress } from './progress.ts';
import { sentences } from './sentences.ts';
import { ownArch } from './tools/platform.ts';

/** `./hack/image`: builds the container image. */

/** Exit code of a program that Ctrl-C ended. */
const INTERRUPTED = 130;

const screen = process.stdout;

async function build(asked: Asked & { do: 'build' }, signal: AbortSignal): Promise<void> {
  const { arches, reference, folder, by } = asked;
  const [first] = arches;
  const what = `${reference} for ${arches.join(' and ')}`;
  if (by === 'docker') {
    if (first) await withProgress(screen, what, () => buildByDocker(first, reference, signal));
    screen.write(`docker has the image ${reference}\n`);
    return;
  }
  const wanted = { reference, signal, ...(folder !== undefined && { folder }) };
  const built = await withProgress(screen, what, () => buildImages(wanted, arches));
  for (const { archive } of built) screen.write(`${relative('.', archive)}  ${mebibytes(archive)}\n`);
}

const mebibytes = (file: string): string => `${(statSync(file).size / 1024 ** 2).toFixed(1)} MiB`;

async function main(asked: Asked & { do: 'build' }): Promise<number> {
  const ending = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => ending.abort());
  try {
    await build(asked, ending.signal);
    return 0;
  } catch (error) {
    if (ending.signal.aborted) return INTERRUPTED;
    process.stderr.write(`${sentences(error)}\n`);
    return 1;
  }
}

const asked = readOptions(process.argv.slice(2), ownArch());
if (asked.do === 'build') process.exit(await main(asked));
const { text, code } = asked.do === 'help' ? { text: help, code: 0 } : { text: `${asked.why}\n`, code: 2 };
(code === 0 ? process.stdout : process.stderr).write(text);
process.exit(code);
