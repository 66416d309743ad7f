const EVERY_MS = 1_000;
/** Without a terminal a line is there to stay: write few. */
const EVERY_MS_WITHOUT_TERMINAL = 30_000;

/** Where progress is shown; process.stderr is one. */
export interface Screen {
  isTTY?: boolean;
  /** Width of a terminal in characters. */
  columns?: number;
  write(text: string): unknown;
}

/** Elapsed time as people say it: `7 s`, `1 min 20 s`. */
export function elapsed(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/**
 * Shows what is being done and for how long already, while it is done: on a terminal one line that counts the seconds,
 * elsewhere a line every 30 s. The last line says how it ended.
 */
export async function withProgress<T>(screen: Screen, what: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const time = () => elapsed(performance.now() - start);
  const show = () => screen.write(screen.isTTY ? `\r\x1b[K${what}: ${time()}` : `${what}: ${time()}\n`);
  const close = (how: string) => screen.write(`${screen.isTTY ? '\r\x1b[K' : ''}${what}: ${how} ${time()}\n`);
  screen.write(screen.isTTY ? what : `${what} …\n`);
  const timer = setInterval(show, screen.isTTY ? EVERY_MS : EVERY_MS_WITHOUT_TERMINAL);
  try {
    const result = await work();
    close('done in');
    return result;
  } catch (error) {
    close('gave up after');
    throw error;
  } finally {
    clearInterval(timer);
  }
}
