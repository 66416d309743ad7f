import { RunError, run } from './run.ts';

const CONNECT_SECONDS = '3';
/** A transfer slower than a kilobyte a second for so long is given up. */
const STALL_SECONDS = '30';
/** curl's exit codes for: no such host, no connection, too slow, no TLS. */
const UNREACHABLE = [6, 7, 28, 35];

/** Gets a URL: what it says, or, with the path of a file, into that file. */
export type Fetch = (url: string, file?: string) => Promise<string>;

/**
 * A Fetch by curl, which every machine has that Drover is worked on, and which knows the user's proxies. It does not
 * ask a host again that could not be reached: each time would cost the whole time-out.
 */
export function fetchByCurl(signal?: AbortSignal): Fetch {
  const unreachable = new Map<string, RunError>();
  return async (url, file) => {
    const { host } = new URL(url);
    const known = unreachable.get(host);
    if (known) throw known;
    try {
      return await run(curl(url, file), { signal });
    } catch (error) {
      if (error instanceof RunError && UNREACHABLE.includes(error.code)) unreachable.set(host, error);
      throw error;
    }
  };
}

const curl = (url: string, file = '-'): string[] => [
  ...['curl', '--fail', '--silent', '--show-error', '--location'],
  ...['--connect-timeout', CONNECT_SECONDS, '--speed-limit', '1000', '--speed-time', STALL_SECONDS],
  ...['--output', file, url],
];
