import { idOrNone, name, type ValueKind } from './value.ts';

/** Ids of other installations, by the namespace whose machines were theirs (hack/decisions/0047). */
export type FormerIds = ReadonlyMap<string, readonly string[]>;

/** Pairs of a namespace and an id that can stand in a label, separated by commas; a namespace may have several ids. */
export const formerIds: ValueKind<FormerIds> = {
  takes: 'namespace=id,…',
  read(given) {
    const pairs = given
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .map(pairIn);
    if (!pairs.every((pair) => pair !== undefined)) return undefined;
    const idsByNamespace = Map.groupBy(pairs, ({ namespace }) => namespace);
    return new Map([...idsByNamespace].map(([namespace, its]) => [namespace, its.map(({ id }) => id)]));
  },
  complaint:
    'is not a list of namespaces and ids such as shop=5d1f0c3a,shop=0b1c8a2e,web=5d1f0c3a, separated by commas',
};

function pairIn(text: string): { namespace: string; id: string } | undefined {
  const [namespace = '', id = '', ...more] = text.split('=');
  const isPair = name.read(namespace) !== undefined && id !== '' && idOrNone.read(id) !== undefined;
  return isPair && more.length === 0 ? { namespace, id } : undefined;
}
