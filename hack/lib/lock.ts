import { Database } from 'bun:sqlite';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

const RETRY_MS = 200;

export interface LockParts {
  file: string;
  /** Called once if another process holds the lock. */
  onWait?: () => void;
  signal?: AbortSignal | undefined;
}

/**
 * Does the work while no other process on this machine does any under the same file. SQLite holds the lock in the kernel,
 * so a process that dies, however, no longer holds it. Rejects with the signal's reason when that aborts the wait.
 */
export async function locked<T>({ file, onWait, signal }: LockParts, work: () => Promise<T>): Promise<T> {
  mkdirSync(dirname(file), { recursive: true });
  const database = new Database(file);
  try {
    for (let waited = false; !tryLock(database); waited = true) {
      if (!waited) onWait?.();
      signal?.throwIfAborted();
      await Bun.sleep(RETRY_MS);
    }
    return await work();
  } finally {
    database.close();
  }
}

function tryLock(database: Database): boolean {
  try {
    database.run('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === 'SQLITE_BUSY') return false;
    throw error;
  }
}
