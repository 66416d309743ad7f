import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { place } from './place.ts';

/** Puts programs where the user's shell finds them, in `.drover/bin`. @param programs their paths, by name */
export function linkPrograms(programs: Readonly<Record<string, string>>): void {
  mkdirSync(place.bin, { recursive: true });
  for (const [name, path] of Object.entries(programs)) {
    const link = join(place.bin, name);
    rmSync(link, { force: true });
    symlinkSync(path, link);
  }
}
