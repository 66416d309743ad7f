import { isObject } from '../../../schemas/same.ts';
/** A named entry of a kubeconfig: its keys as they stand there, and how messages call it. */
export interface Entry {
  /** For people, as `users[jane].user`. */
  path: string;
  name: string;
  keys: Readonly<Record<string, unknown>>;
}

/** A context of a kubeconfig, and what it names; nothing of it has been judged yet. */
export interface Choice {
  context: Entry;
  cluster: Entry;
  /** Absent when the context names nobody. */
  user?: Entry;
}

type Lists = Readonly<Record<string, unknown>>;

/**
 * Finds the context of that name, or the current one, in the text of a kubeconfig. Throws an Error that names the field.
 * Reads the text and nothing else: whatever an entry says of files and programs is for the caller to judge.
 */
export function choiceIn(text: string, name?: string): Choice {
  const config = parse(text);
  const wanted = name ?? config['current-context'];
  if (typeof wanted !== 'string' || wanted === '')
    throw new Error('current-context is not set: choose one with kubectl config use-context');
  const context = entryOf(config, 'contexts', wanted);
  const { cluster, user } = context.keys;
  return {
    context,
    cluster: entryOf(config, 'clusters', cluster),
    ...(user !== undefined && user !== null && user !== '' && { user: entryOf(config, 'users', user) }),
  };
}

function parse(text: string): Lists {
  let config: unknown;
  try {
    config = Bun.YAML.parse(text);
  } catch {
    // The parser's words would quote the text, which holds secrets.
    throw new Error('it is not YAML');
  }
  if (isObject(config)) return config;
  throw new Error('it holds no kubeconfig');
}

const SINGULAR = { contexts: 'context', clusters: 'cluster', users: 'user' } as const;

/** How long a name may be, and how many of them a message tells: whoever writes the text may be anybody. */
const LONGEST_NAME = 253;
const MOST_TOLD = 5;

function entryOf(config: Lists, list: keyof typeof SINGULAR, name: unknown): Entry {
  if (!isName(name))
    throw new Error(`the name that is looked for in ${list} is not text of at most ${LONGEST_NAME} characters`);
  const entries = Array.isArray(config[list])
    ? config[list].filter(isObject).filter((entry) => isName(entry['name']))
    : [];
  const found = entries.find((entry) => entry['name'] === name);
  if (!found) throw new Error(`${list} has no "${name}": it has ${namesOf(entries)}`);
  const keys = found[SINGULAR[list]] ?? {};
  const path = `${list}[${name}].${SINGULAR[list]}`;
  if (!isObject(keys)) throw new Error(`${path} is not a map`);
  return { path, name, keys };
}

function namesOf(entries: readonly Lists[]): string {
  const told = entries.slice(0, MOST_TOLD).map((entry) => entry['name']);
  const more = entries.length > MOST_TOLD ? ` and ${entries.length - MOST_TOLD} more` : '';
  return told.length === 0 ? 'nothing' : told.join(', ') + more;
}

const isName = (value: unknown): value is string => typeof value === 'string' && value.length <= LONGEST_NAME;
