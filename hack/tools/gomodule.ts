import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { locked } from '../lib/lock.ts';
import { build } from './build.ts';
import { cached, cacheFolder, install } from './cache.ts';
import type { Tool } from './table.ts';

/** Whether a program in Go can be built here. */
export const canBuildGo = Bun.which('go') !== null;

/** A program in Go of our own. */
export interface GoModule {
  name: string;
  /** Holds all of its sources, with go.mod and go.sum. */
  folder: string;
}

/** Path of the program, which is built unless an earlier run built it from the same sources. */
export async function builtGo({ name, folder }: GoModule): Promise<string> {
  const cache = cacheFolder(process.env);
  const tool: Tool = { name, version: await hashOf(folder), programs: [name] };
  return locked({ file: join(cache, 'lock') }, async () => {
    const module = relative(import.meta.dir, folder);
    const make = (into: string) => build({ module, main: '.' }, join(into, name));
    if (!cached(cache, [tool], name)) await install(cache, tool, make);
    return join(cache, tool.name, tool.version, name);
  });
}

async function hashOf(folder: string): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256');
  for (const file of readdirSync(folder).sort()) hash.update(`${file}\n${await Bun.file(join(folder, file)).text()}`);
  return hash.digest('hex').slice(0, 16);
}
