import { join } from 'node:path';
import { locked } from '../lib/lock.ts';
import { withProgress } from '../lib/progress.ts';
import { cached, cacheFolder, install } from './cache.ts';
import { fetchByCurl } from './curl.ts';
import { GIVEN_BY, givenTool } from './given.ts';
import { platformOf } from './platform.ts';
import { type Tool, toolsOf } from './table.ts';
import { type Way, type WayMeans, waysTo } from './ways.ts';

export interface FindOptions {
  /** The Kubernetes version, one of the table's; the table's first unless said. */
  kubernetes?: string;
  signal?: AbortSignal | undefined;
}

/**
 * Paths of programs by name: given by the user, else from the cache, else downloaded, else built. Throws a sentence that
 * says what was tried and what the user can do, or the signal's reason.
 */
export async function findTools<N extends string>(
  names: readonly N[],
  options: FindOptions = {},
): Promise<Record<N, string>> {
  const tools = toolsOf(options.kubernetes);
  const paths = {} as Record<N, string>;
  const missing: N[] = [];
  for (const name of names) {
    const path = givenTool(name, process.env) ?? cached(cacheFolder(process.env), tools, name);
    if (path === undefined) missing.push(name);
    else paths[name] = path;
  }
  if (missing.length > 0) Object.assign(paths, await obtainAll(missing, tools, options.signal));
  return paths;
}

/** One process at a time gets tools; another that waited finds them in the cache. */
async function obtainAll(names: readonly string[], tools: readonly Tool[], signal?: AbortSignal) {
  const cache = cacheFolder(process.env);
  const means: Means = { fetch: fetchByCurl(signal), signal, failed: new Map() };
  const onWait = () => process.stderr.write(`waiting for another run that fetches tools into ${cache}\n`);
  return locked({ file: join(cache, 'lock'), onWait, signal }, async () => {
    const paths: Record<string, string> = {};
    for (const name of names) paths[name] = cached(cache, tools, name) ?? (await obtain(name, tools, means));
    return paths;
  });
}

interface Means extends WayMeans {
  /** Ways that failed, and why: one that would bring several programs is not tried for each. */
  failed: Map<string, string>;
}

/** Tries one way after the other until one has brought the program into the cache. */
async function obtain(name: string, tools: readonly Tool[], means: Means): Promise<string> {
  const cache = cacheFolder(process.env);
  const failures: string[] = [];
  for (const way of waysTo(name, tools, platformOf(process.platform, process.arch))) {
    const failure = means.failed.get(way.description) ?? (await tryWay(way, means));
    means.signal?.throwIfAborted();
    const path = cached(cache, tools, name);
    if (path !== undefined) return path;
    means.failed.set(way.description, failure);
    failures.push(`${way.description}: ${failure}`);
  }
  throw new Error(adviceFor(name, failures));
}

/** Returns why it failed; empty when it did not. */
async function tryWay({ tool, description, make }: Way, means: Means): Promise<string> {
  const work = () => install(cacheFolder(process.env), tool, (folder) => make(folder, means));
  try {
    await withProgress(process.stderr, description, work);
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** What was tried, why it failed, and what the user can do. */
export function adviceFor(name: string, failures: readonly string[]): string {
  return [
    `There is no ${name}, and no way to get it worked:`,
    ...failures.map((failure) => `  - ${failure.replaceAll('\n', '\n    ')}`),
    `Let this machine reach one of these downloads, install Go 1.26 or later, or set ${GIVEN_BY.join(' or ')}`,
    `to a folder that holds ${name}. Then try again.`,
  ].join('\n');
}
