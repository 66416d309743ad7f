import { statSync } from 'node:fs';
import { relative } from 'node:path';
import { buildImages } from '../imagebuild/build.ts';
import { buildByDocker } from '../imagebuild/docker.ts';
import { type Asked, help, readOptions } from '../imagebuild/options.ts';
import { answer, type Ending } from '../lib/command.ts';
import { withProgress } from '../lib/progress.ts';
import { ownArch } from '../tools/platform.ts';

/** `./hack/image`: builds the container image. */

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

/** Builds what is asked for. */
export async function run(words: readonly string[], ending: Ending): Promise<number> {
  const asked = readOptions(words, ownArch());
  if (asked.do !== 'build') return answer(asked, help);
  await build(asked, ending());
  return 0;
}
