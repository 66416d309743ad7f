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
