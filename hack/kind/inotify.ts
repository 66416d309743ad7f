import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const LIMIT = '/proc/sys/fs/inotify/max_user_instances';

/** What two clusters of some nodes take; each node about thirty. */
const ENOUGH = 512;

/**
 * Lets all users together watch more files, as kind's own advice is: with the 128 that many machines allow, the second
 * cluster's programs die of "too many open files". Only root may; for others the limit stays what it is.
 */
export function raiseInotifyLimit(): void {
  if (process.getuid?.() !== 0 || !existsSync(LIMIT)) return;
  const allowed = Number(readFileSync(LIMIT, 'utf8'));
  if (allowed >= ENOUGH) return;
  process.stderr.write(`raising fs.inotify.max_user_instances from ${allowed} to ${ENOUGH}\n`);
  writeFileSync(LIMIT, String(ENOUGH));
}
