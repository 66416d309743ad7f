import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** An object as a file carries it. */
export type Manifest = Record<string, unknown> & { apiVersion: string; kind: string; metadata: { name: string } };

/** A file of examples/ and the objects in it. */
export interface Example {
  file: string;
  objects: Manifest[];
}

/** Folder of the examples. */
export const examplesFolder = join(import.meta.dir, 'examples');

/** Every example, by file name; those of mistakes/ are no examples to follow. */
export async function readExamples(): Promise<Example[]> {
  const files = readdirSync(examplesFolder)
    .filter((file) => file.endsWith('.yaml'))
    .sort();
  return Promise.all(
    files.map(async (file) => {
      const documents = Bun.YAML.parse(await Bun.file(join(examplesFolder, file)).text());
      return { file, objects: [documents].flat() as Manifest[] };
    }),
  );
}
