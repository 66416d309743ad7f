import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { type Clock, systemClock } from '../clock.ts';
import { TextFile } from '../textfile.ts';
import { CrowdedNames, type Resolve, TooManyAddresses } from './judgednames.ts';

/** Addresses by name, in small letters, in the order of the file. */
export type Hosts = ReadonlyMap<string, readonly string[]>;

/**
 * What a hosts file says (hosts(5)): an address in each line, then its name and aliases of it, up to a `#`. A name may stand in several
 * lines. Addresses of one interface alone (`fe80::1%eth0`) are left out, for no URL can have them.
 */
export function hostsIn(text: string): Hosts {
  const hosts = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = entryWordsOf(line);
    if (isIP(address) === 0 || address.includes('%')) continue;
    for (const name of names) {
      const known = hosts.get(name) ?? [];
      hosts.set(name, known.includes(address) ? known : [...known, address]);
    }
  }
  return hosts;
}

const entryWordsOf = (line: string): string[] =>
  (line.split('#', 1)[0] ?? '')
    .toLowerCase()
    .split(/\s/)
    .filter((word) => word !== '');

/** How names that are not absolute are completed (resolv.conf(5)). */
export interface SearchList {
  /** Domains in their order, without a dot at the end; the root is ''. */
  domains: readonly string[];
  /** A name with so many dots is asked for as it stands first, any other one last. */
  ndots: number;
}

/** What the process may say instead of the file, as glibc has it: `LOCALDOMAIN` and `RES_OPTIONS`. */
export type SearchEnvironment = Readonly<Record<string, string | undefined>>;

/** As the kubelet allows (pod's dnsConfig): 32 domains. */
const MOST_DOMAINS = 32;

/** glibc takes no higher one. */
const MOST_DOTS = 15;

/** The longest name there is, without the dot at its end. */
const LONGEST = 253;

/** How a file resolv.conf has names completed: the last `search` or `domain` counts, and of options the last. */
export function searchListIn(text: string, env: SearchEnvironment = {}): SearchList {
  let domains: readonly string[] = [];
  let options: readonly string[] = [];
  for (const line of text.split('\n')) {
    const [key, ...words] = wordsOf(line);
    if (key === 'search') domains = words;
    if (key === 'domain') domains = words.slice(0, 1);
    if (key === 'options') options = [...options, ...words];
  }
  const { LOCALDOMAIN: own, RES_OPTIONS: added = '' } = env;
  if (own !== undefined) domains = wordsOf(own);
  return {
    domains: domains.slice(0, MOST_DOMAINS).map((domain) => domain.replace(/\.$/, '')),
    ndots: ndotsIn([...options, ...wordsOf(added)]),
  };
}

function ndotsIn(options: readonly string[]): number {
  const [, written = '1'] = options.map((option) => /^ndots:(\d{1,9})$/.exec(option)).findLast(Boolean) ?? [];
  return Math.min(Number(written), MOST_DOTS);
}

const wordsOf = (line: string): string[] => line.split(/\s/).filter((word) => word !== '');

/**
 * The absolute names to ask for one after the other, each with a dot at its end, as the C library has them: the name itself is always among
 * them, unless no name is that long.
 */
export function candidatesOf(name: string, { domains, ndots }: SearchList): readonly string[] {
  const bare = name.replace(/\.$/, '');
  const completed = bare === name ? domains.map((domain) => (domain === '' ? bare : `${bare}.${domain}`)) : [];
  const isFirst = bare.split('.').length > ndots;
  const names = isFirst ? [bare, ...completed] : [...completed, bare];
  return [...new Set(names)].filter(({ length }) => length <= LONGEST).map((one) => `${one}.`);
}

/** What a name is asked for with, as `Resolver` of node:dns/promises is one. */
export type Questioner = Pick<Resolver, 'resolve4' | 'resolve6' | 'cancel'>;

/** What names are resolved by. */
export interface NameSources {
  clock: Clock;
  hosts: () => Hosts;
  search: () => SearchList;
  /** A new one for each name, for it keeps what it was answered for as long as that says. */
  questioner: () => Questioner;
  /** Whether the machine has no other address than IPv6 ones. */
  isSixOnly: () => boolean;
}

/** How long names are asked for, milliseconds: one, each of what it may stand for, and for the other family when one has answered. */
const PATIENCE_MS = { all: 20_000, each: 5_000, other: 1_000 };

/** When a server that is silent is asked again, milliseconds, and how often; the patience above ends it all. */
const QUESTION = { timeout: 1_000, tries: 3 };

/** How many addresses a name may have. Each is judged, at each answer; DNS has 4,000 in one, which take 15 ms to be read alone. */
const MOST_ADDRESSES = 32;

/** By these a server says that a name has no address. */
const SAYS_NONE = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/**
 * A name has no address (code `DNS_ENOTFOUND`), or that could not be found out: any other code, that of the first query that failed, as
 * `DNS_ESERVFAIL` or `DNS_ETIMEOUT`.
 */
export class NameUnresolved extends Error {
  readonly code: string;

  /** @param failures of the questions, in their order */
  constructor(name: string, failures: readonly unknown[]) {
    const failed = failures.find((failure) => !SAYS_NONE.has(codeOf(failure)));
    const code = `DNS_${failed === undefined ? 'ENOTFOUND' : codeOf(failed)}`;
    super(`the name ${name} is not resolved: ${code}`, { cause: failed ?? failures[0] });
    this.name = 'NameUnresolved';
    this.code = code;
  }
}

/** Who is cancelled here has waited long enough. */
const codeOf = (failure: unknown): string => {
  const { code = 'FAILED' } = failure as { code?: string };
  return code === 'ECANCELLED' ? 'ETIMEOUT' : code;
};

/**
 * Finds addresses as the C library does, but takes no thread meanwhile, as getaddrinfo does: the process has few, all of Bun waits for
 * them, and anybody may name what no server answers (hack/decisions/0033). So nothing here may call `lookup`, which takes one for
 * names in `.local` whatever it is told. First the hosts file counts, then what the DNS servers say of each name that this one may stand for: any
 * answer but addresses leads on to the next. Whoever asks for a name that is being asked for gets the same answer. Rejects with
 * NameUnresolved, after 20 s at the latest, or with TooManyAddresses: that for five minutes without asking again.
 */
export function resolveBy(sources: NameSources): Resolve {
  const crowded = new CrowdedNames(sources.clock);
  return shared(async (name) => {
    if (isIP(name) !== 0) return [name];
    const known = sources.hosts().get(name.replace(/\.$/, '').toLowerCase());
    return known ?? (await crowded.unless(name, () => askedFor(name, sources)));
  });
}

async function askedFor(
  name: string,
  { clock, questioner, search, isSixOnly }: NameSources,
): Promise<readonly string[]> {
  const failures: unknown[] = [];
  const asking = { clock, questioner: questioner() };
  const candidates = candidatesOf(name, search());
  const end = clock.monotonic() + PATIENCE_MS.all;
  for (const [at, candidate] of candidates.entries()) {
    const part = (end - clock.monotonic()) / (candidates.length - at);
    const { four, six, failed } = await familiesOf(candidate, { ...asking, ms: Math.min(PATIENCE_MS.each, part) });
    if (four.length + six.length > MOST_ADDRESSES) throw new TooManyAddresses(name, MOST_ADDRESSES);
    if (four.length + six.length > 0) return isSixOnly() ? [...six, ...four] : [...four, ...six];
    failures.push(...failed);
  }
  throw new NameUnresolved(name, failures);
}

/** Both families are asked for side by side, and one that fails does not spoil the other; nor does it, silent, keep it for long. */
async function familiesOf(
  name: string,
  { clock, questioner, ms }: { clock: Clock; questioner: Questioner; ms: number },
): Promise<{ four: readonly string[]; six: readonly string[]; failed: readonly unknown[] }> {
  const giveUp = () => questioner.cancel();
  let enough = clock.after(ms, giveUp);
  const soon = () => {
    enough();
    enough = clock.after(PATIENCE_MS.other, giveUp);
  };
  const questions = [questioner.resolve4(name), questioner.resolve6(name)];
  for (const question of questions) question.then(soon, () => {});
  const answers = await Promise.allSettled(questions);
  enough();
  const [four = [], six = []] = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  return { four, six, failed: answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : [])) };
}

function shared(ask: Resolve): Resolve {
  const asked = new Map<string, Promise<readonly string[]>>();
  return (name) => {
    const answer = asked.get(name) ?? ask(name).finally(() => asked.delete(name));
    asked.set(name, answer);
    return answer;
  };
}

/** What is read of a file, anew when that has changed; of one that cannot be read, what is read of an empty one. */
function readOf<V>(path: string, read: (text: string) => V): () => V {
  const file = new TextFile(path);
  let [known, value] = ['', read('')];
  return () => {
    const text = textOf(file);
    if (text !== known) [known, value] = [text, read(text)];
    return value;
  };
}

function textOf(file: TextFile): string {
  try {
    return file.read();
  } catch {
    return '';
  }
}

const hasNoFour = (): boolean =>
  Object.values(networkInterfaces()).every((all = []) =>
    all.every(({ family, internal }) => family !== 'IPv4' || internal),
  );

/** {@link resolveBy} the files and the DNS servers of the machine; what changes in them holds from the next name on. */
export const systemResolve: Resolve = resolveBy({
  clock: systemClock,
  hosts: readOf('/etc/hosts', hostsIn),
  search: readOf('/etc/resolv.conf', (text) => searchListIn(text, process.env)),
  questioner: () => new Resolver(QUESTION),
  isSixOnly: hasNoFour,
});
