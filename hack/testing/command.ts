/** Where and how a command runs. */
export interface Surroundings {
  /** Ends the command. */
  signal: AbortSignal;
  /** The project's root unless told otherwise. */
  folder?: string;
  /** Variables beside those of this process. */
  env?: Readonly<Record<string, string>> | undefined;
  /** It, and what it starts, runs when nothing else wants the processors. */
  patient?: boolean;
  /** Where its output goes: to ours, nowhere, or to a function, line by line without line breaks. */
  output?: 'inherit' | 'ignore' | ((line: string) => void);
}

/** Runs bun with some words and answers its exit code; a death by signal has one above 128. */
export async function runBun(words: readonly string[], surroundings: Surroundings): Promise<number> {
  const { signal, folder = '.', env, patient, output = 'inherit' } = surroundings;
  signal.throwIfAborted();
  const heard = typeof output === 'function';
  const child = Bun.spawn([...(patient ? ['nice', '-n', '19'] : []), process.execPath, ...words], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdin: 'ignore',
    stdout: heard ? 'pipe' : output,
    stderr: heard ? 'pipe' : output,
  });
  const end = () => child.kill('SIGTERM');
  signal.addEventListener('abort', end, { once: true });
  if (heard) await Promise.all([child.stdout, child.stderr].map((stream) => eachLine(stream, output)));
  const exitCode = await child.exited;
  signal.removeEventListener('abort', end);
  return exitCode;
}

async function eachLine(stream: ReadableStream<Uint8Array> | undefined, hear: (line: string) => void): Promise<void> {
  if (!stream) return;
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) hear(line);
  }
  if (rest !== '') hear(rest);
}
