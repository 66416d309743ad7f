import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { markOf } from '../processes/mark.ts';

const fileIn = (folder: string): string => join(folder, 'owner');

/** Notes that what a folder stands for ends with this process. */
export function own(folder: string): void {
  writeFileSync(fileIn(folder), `${process.pid}\n${markOf(process.pid) ?? ''}\n`);
}

/** Notes that it ends with no process. */
export const disown = (folder: string): void => rmSync(fileIn(folder), { force: true });

/** Whether the process that owns what a folder stands for still runs; `never` when none ever did. */
export function isOwned(folder: string): 'yes' | 'no more' | 'never' {
  if (!existsSync(fileIn(folder))) return 'never';
  const [pid, mark] = readFileSync(fileIn(folder), 'utf8').split('\n');
  return mark && markOf(Number(pid)) === mark ? 'yes' : 'no more';
}
