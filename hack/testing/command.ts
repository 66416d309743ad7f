/** Where and how a command runs. */
export interface Surroundings {
  /** Ends the command. */
  signal: AbortSignal;
  /** The project's root unless told otherwise. */
  folder?: string;
  /** Where its output goes: to ours, or nowhere. */
  output?: 'inherit' | 'ignore';
}

/** Runs bun with some words and answers its exit code; a death by signal has one above 128. */
export async function runBun(words: readonly string[], surroundings: Surroundings): Promise<number> {
  const { signal, folder = '.', output = 'inherit' } = surroundings;
  signal.throwIfAborted();
  const child = Bun.spawn([process.execPath, ...words], {
    cwd: folder,
    stdin: 'ignore',
    stdout: output,
    stderr: output,
  });
  const end = () => child.kill('SIGTERM');
  signal.addEventListener('abort', end, { once: true });
  const exitCode = await child.exited;
  signal.removeEventListener('abort', end);
  return exitCode;
}
