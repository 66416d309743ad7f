import { join } from 'node:path';
import { ownArch } from '../tools/platform.ts';
import { run } from '../tools/run.ts';
import { type Arch, labels, originHere } from './facts.ts';

const ROOT = join(import.meta.dir, '../..');

/** Builds the image by docker, where it can pull the base images that the Dockerfile names; the image stays with docker. */
export async function buildByDocker(arch: Arch, reference: string, signal?: AbortSignal): Promise<void> {
  const origin = originHere(process.env);
  const words = [
    'build',
    '--file',
    'hack/imagebuild/Dockerfile',
    '--tag',
    reference,
    '--build-arg',
    `TARGETARCH=${arch}`,
  ];
  if (arch !== ownArch()) words.push(`--platform=linux/${arch}`);
  const labelled = Object.entries(labels(origin)).flatMap(([name, value]) => ['--label', `${name}=${value}`]);
  const command = ['docker', ...words, ...labelled, '--build-arg', `COMMIT=${origin.commit}`, '.'];
  try {
    await run(command, { cwd: ROOT, signal });
  } catch (cause) {
    signal?.throwIfAborted();
    throw new Error(
      'docker could not build the image; where it can pull no base images, leave --docker out: the image is then built without it',
      { cause },
    );
  }
}
