import { dns } from 'bun';
import type { Resolve } from './judgedsend.ts';

/** A name has no address, or nobody says which; the code is the resolver's, as `DNS_ENOTFOUND`. */
export class NameUnresolved extends Error {
  readonly code: string;

  constructor(name: string, cause: unknown) {
    const { code = 'DNS_FAILED' } = cause as { code?: string };
    super(`the name ${name} is not resolved: ${code}`, { cause });
    this.name = 'NameUnresolved';
    this.code = code;
  }
}

/**
 * Asks the resolver of the machine: its hosts file, and its DNS servers with their search domains. Takes no thread
 * meanwhile, as getaddrinfo does: the process has few, all of Bun waits for them, and anybody may name what no server
 * answers (hack/decisions/0033). Whoever asks for a name that is being asked for gets the same answer. Rejects with
 * NameUnresolved, after some 20 s at the latest.
 */
export const systemResolve: Resolve = shared(async (name) => {
  try {
    return (await dns.lookup(name, { backend: 'c-ares' })).map(({ address }) => address);
  } catch (error) {
    throw new NameUnresolved(name, error);
  }
});

function shared(ask: Resolve): Resolve {
  const asked = new Map<string, Promise<readonly string[]>>();
  return (name) => {
    const answer = asked.get(name) ?? ask(name).finally(() => asked.delete(name));
    asked.set(name, answer);
    return answer;
  };
}
