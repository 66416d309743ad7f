export interface RunOptions {
  cwd?: string;
  env?: Record<string, string>;
  /** The program gets SIGINT when it aborts. */
  signal?: AbortSignal | undefined;
}

/** A program that ended badly. The message is the end of what it complained about. */
export class RunError extends Error {
  readonly code: number;
  constructor(message: string, code: number) {
    super(message);
    this.code = code;
  }
}

/** How much of what a program complains about goes into the error. */
const LINES = 5;

/** Runs a program to its end and returns what it printed. Throws a RunError, or the signal's reason when that aborts. */
export async function run(command: readonly string[], { cwd, env, signal }: RunOptions = {}): Promise<string> {
  const [name = ''] = command;
  if (!Bun.which(name)) throw new Error(`there is no ${name} on PATH`);
  const child = Bun.spawn([...command], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    killSignal: 'SIGINT',
    env: { ...process.env, ...env },
    ...(cwd === undefined ? {} : { cwd }),
    ...(signal === undefined ? {} : { signal }),
  });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  signal?.throwIfAborted();
  const complaint = stderr.trim().split('\n').slice(-LINES).join('\n');
  if (code !== 0) throw new RunError(complaint || `${name} ended with ${code}`, code);
  return stdout;
}
