import type { Cluster, Context, User } from '@kubernetes/client-node';

/** A context of a kubeconfig, and what it names. */
export interface Choice {
  cluster: Cluster;
  /** Absent when the context names nobody. */
  user?: User & { tokenFile?: string };
  namespace?: string;
}

/** A kubeconfig as YAML gives it; `unknown` is for client-node to read. */
interface Kubeconfig {
  'current-context'?: string;
  clusters?: unknown;
  users?: Array<{ name: string; user?: { tokenFile?: string } }>;
  contexts?: unknown;
}

/** Reads a kubeconfig file and finds the context of that name, or the current one. Throws an Error that names the field. */
export const chooseContext = async (path: string, name?: string): Promise<Choice> => choiceIn(await read(path), name);

/**
 * Finds the context of that name, or the current one, in the text of a kubeconfig. Throws an Error that names the field.
 *
 * Only the part of client-node that reads these lists is loaded, and only here: the whole library takes 50 MB of memory.
 * It overlooks `tokenFile`, which is added.
 */
export async function choiceIn(text: string, name?: string): Promise<Choice> {
  const config = parse(text);
  const { newClusters, newContexts, newUsers } = await import('@kubernetes/client-node/dist/config_types.js');
  const wanted = name ?? config['current-context'];
  if (!wanted) throw new Error('current-context is not set: choose one with kubectl config use-context');
  const context: Context = find('contexts', newContexts(config.contexts), wanted);
  const cluster: Cluster = find('clusters', newClusters(config.clusters), context.cluster);
  return {
    cluster,
    ...(context.user && {
      user: { ...find('users', newUsers(config.users), context.user), ...tokenFile(config, context) },
    }),
    ...(context.namespace && { namespace: context.namespace }),
  };
}

async function read(path: string): Promise<string> {
  try {
    return await Bun.file(path).text();
  } catch (error) {
    throw new Error('the file cannot be read', { cause: error });
  }
}

function parse(text: string): Kubeconfig {
  try {
    const config = Bun.YAML.parse(text);
    if (typeof config === 'object' && config !== null && !Array.isArray(config)) return config;
  } catch (error) {
    throw new Error('it is no YAML', { cause: error });
  }
  throw new Error('it holds no kubeconfig');
}

function find<T extends { name: string }>(list: string, entries: readonly T[], name: string): T {
  const found = entries.find((entry) => entry.name === name);
  if (found) return found;
  const names = entries.map((entry) => entry.name).join(', ') || 'nothing';
  throw new Error(`${list} has no "${name}": it has ${names}`);
}

function tokenFile({ users = [] }: Kubeconfig, { user: name }: Context): { tokenFile?: string } {
  const path = users.find((user) => user.name === name)?.user?.tokenFile;
  return path ? { tokenFile: path } : {};
}
