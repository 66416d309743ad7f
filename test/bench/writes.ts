import type { Api } from '../../controller/runtime/client/api.ts';

/** Successful writes by `resource verb`, a subresource named with its resource: `machines/status patch`. */
export type Writes = Readonly<Record<string, number>>;

const COUNTER = /^apiserver_request_total\{(.*)\} (\S+)$/gm;
const LABEL = /(\w+)="([^"]*)"/g;
const WRITING: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'APPLY', 'DELETE']);

/** All writes that the API server has answered with success since it started, from its own metrics. */
export async function writesSoFar(api: Api): Promise<Writes> {
  const writes: Record<string, number> = {};
  const text = String(await api.request('GET', '/metrics'));
  for (const [, labels = '', value] of text.matchAll(COUNTER)) {
    const { resource, subresource, verb = '', code = '' } = labelsOf(labels);
    if (!WRITING.has(verb) || !code.startsWith('2')) continue;
    const name = `${resource}${subresource ? `/${subresource}` : ''} ${verb.toLowerCase()}`;
    writes[name] = (writes[name] ?? 0) + Number(value);
  }
  return writes;
}

const labelsOf = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(LABEL)].map(([, name, value]) => [name, value]));

/** What was written between two looks. */
export function writesBetween(before: Writes, after: Writes): Writes {
  const counts = Object.entries(after).map(([name, count]): [string, number] => [name, count - (before[name] ?? 0)]);
  return Object.fromEntries(counts.filter(([, count]) => count > 0).sort());
}

/** The writes summed over verbs: how many were to each resource and subresource. */
export function writesByResource(writes: Writes): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [name, count] of Object.entries(writes)) {
    const [resource = ''] = name.split(' ');
    counts[resource] = (counts[resource] ?? 0) + count;
  }
  return counts;
}
