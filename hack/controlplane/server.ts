import { type Folders, find, lastLines, type Program, signal, start, stop } from '../lib/daemon.ts';
import { Hopeless, until } from '../lib/until.ts';

interface ServerParts {
  folders: Folders;
  program: Program;
  /** Throws, or says no, until the server does its work. */
  ready: () => Promise<boolean>;
  timeoutMs: number;
}

/** One server of the control plane, which a test can break and mend by itself. It keeps its port through all of it. */
export interface Server {
  readonly name: string;
  pid(): number | undefined;
  /** Starts it unless it runs, and waits until it is ready. */
  start(signal?: AbortSignal): Promise<void>;
  /** Ends it in order; by force after ten seconds. */
  stop(): Promise<void>;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** SIGSTOP: connections stay open and nothing answers, from a moment later on. */
  freeze(): void;
  /** Ends a freeze. */
  thaw(): void;
}

const GRACE_MS = 10_000;

/** A server that is started, stopped, killed, frozen and thawed through its pid file. */
export function serverOf({ folders, program, ready, timeoutMs }: ServerParts): Server {
  const { name } = program;
  const up = async (): Promise<boolean> => {
    if (find(folders, name) !== undefined) return ready();
    throw new Hopeless(`${name} ended while it started; the end of its log:\n${lastLines(folders, name)}`);
  };
  return {
    name,
    pid: () => find(folders, name),
    async start(ending) {
      if (find(folders, name) === undefined) start(folders, program);
      await until(`${name} to be ready`, up, { timeoutMs, signal: ending });
    },
    stop: () => stop(folders, name, GRACE_MS),
    kill: () => stop(folders, name),
    freeze: () => send(folders, name, 'SIGSTOP'),
    thaw: () => send(folders, name, 'SIGCONT'),
  };
}

function send(folders: Folders, name: string, what: NodeJS.Signals): void {
  if (!signal(folders, name, what)) throw new Error(`${name} does not run: there is nothing to send ${what} to`);
}
