import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run } from '../tools/run.ts';
import type { Arch } from './facts.ts';

/** What Bun calls the architectures. */
const TARGETS: Readonly<Record<Arch, string>> = { amd64: 'bun-linux-x64', arm64: 'bun-linux-arm64' };

/** What to compile, and where to. */
export interface Compilation {
  arch: Arch;
  /** Linked in, for `--version`; empty when it is not known. */
  commit: string;
  /** Path of the program. */
  output: string;
  /** What is run first; `drover.ts` unless a test has something to add. */
  main?: string;
}

/**
 * Compiles `drover`, Bun included, into one program. Bytecode makes it start in a third of the time, and source maps keep
 * the lines of stack traces true. What lies in the folder in which it is started is none of its settings.
 */
export async function compile(
  { arch, commit, output, main = join(import.meta.dir, 'drover.ts') }: Compilation,
  signal?: AbortSignal,
): Promise<void> {
  mkdirSync(dirname(output), { recursive: true });
  const flags = ['--compile', `--target=${TARGETS[arch]}`, '--bytecode', '--sourcemap'];
  const closed = ['--no-compile-autoload-dotenv', '--no-compile-autoload-bunfig'];
  const linked = ['--define', `DROVER_COMMIT=${JSON.stringify(commit)}`];
  try {
    await run([process.execPath, 'build', ...flags, ...closed, ...linked, main, '--outfile', output], { signal });
  } catch (cause) {
    signal?.throwIfAborted();
    throw new Error(
      `drover could not be compiled for ${arch}; for another architecture Bun ${Bun.version} for that is downloaded`,
      { cause },
    );
  }
}
