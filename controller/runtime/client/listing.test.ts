import { describe, expect, test } from 'bun:test';
import { nodes } from '../k8s/core.ts';
import type { KubeObject } from '../k8s/object.ts';
import { AnswerTooLarge } from './answers.ts';
import { ApiError } from './errors.ts';
import { type Listing, listed, pageIn } from './listing.ts';

// hack/decisions/0028 W8

const sheep = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Sheep', metadata: { name } });

const tooLarge = () =>
  Promise.reject(new ApiError('too large', { status: 0, reason: 'NetworkError', cause: new AnswerTooLarge(1) }));

const listing = (page: Listing<KubeObject>['page'], most?: Listing<KubeObject>['most']): Listing<KubeObject> => ({
  page,
  pageSize: 500,
  keep: (one) => one,
  most,
});

/** A server that has pages without end. */
const endless = (items: KubeObject[]) => {
  let pages = 0;
  return async () => ({ metadata: { resourceVersion: '1', continue: String(pages++) }, items });
};

describe('a list of a hostile server ends', () => {
  test('that has a page for each page, and nothing on any', async () => {
    await expect(listed(listing(endless([])))).rejects.toThrow('the list has more than 10000 pages');
  });

  test('that has next to nothing on each page', async () => {
    await expect(listed(listing(endless([sheep('a')])))).rejects.toThrow('more than 10000 pages with next to nothing');
  });

  test('that has too many objects', async () => {
    const page = endless([sheep('a'), sheep('b')]);
    await expect(listed(listing(page, { objects: 5, bytes: 1e9 }))).rejects.toThrow('more than 5 objects');
  });

  test('that has objects which are too large together', async () => {
    const page = endless([sheep('a'.repeat(1 << 19))]);
    await expect(listed(listing(page, { objects: 1e9, bytes: 4 << 20 }))).rejects.toThrow('more than 4 MiB');
  });

  test('whose pages are too large however few objects are asked for', async () => {
    const limits: number[] = [];
    const page: Listing<KubeObject>['page'] = ({ limit }) => {
      limits.push(limit);
      return tooLarge();
    };
    await expect(listed(listing(page))).rejects.toThrow('too large');
    expect(limits).toEqual([500, 125, 31, 7, 1]);
  });
});

describe('a list without a limit', () => {
  test('is read in pages where all at once are too large', async () => {
    const asked: number[] = [];
    const page: Listing<KubeObject>['page'] = ({ limit }) => {
      asked.push(limit);
      if (limit === 0 || limit > 31) return tooLarge();
      const metadata = { resourceVersion: '1', ...(asked.length < 5 && { continue: 'b' }) };
      return Promise.resolve({ metadata, items: [sheep('a')] });
    };
    await listed({ ...listing(page), pageSize: 0 });
    expect(asked).toEqual([0, 125, 31, 124, 31]);
  });

  test('ends also where a hostile server has a page for each page', async () => {
    const all = { ...listing(endless([])), pageSize: 0 };
    await expect(listed(all)).rejects.toThrow('the list has more than 10000 pages');
  });
});

test('an honest server with large objects is asked for fewer at a time, from where it was', async () => {
  const asked: string[] = [];
  const page: Listing<KubeObject>['page'] = ({ limit, continue: from }) => {
    asked.push(`${limit} from ${from ?? 'the beginning'}`);
    if (from === 'b' && limit > 31) return tooLarge();
    const metadata = { resourceVersion: '7', ...(from === undefined && { continue: 'b' }) };
    return Promise.resolve({ metadata, items: [sheep(from ?? 'a')] });
  };
  const { items, resourceVersion } = await listed(listing(page));
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
  expect(resourceVersion).toBe('7');
  expect(asked).toEqual(['500 from the beginning', '500 from b', '125 from b', '31 from b']);
});

/** A server of so many objects, of which those in a row from 20 on come only this many together. */
const herd = ({ total, large, together }: { total: number; large: number; together: number }) => {
  const limits: number[] = [];
  const page: Listing<KubeObject>['page'] = async ({ limit, continue: token = '0' }) => {
    limits.push(limit);
    const from = Number(token);
    const to = Math.min(total, from + limit);
    if (Math.min(to, 20 + large) - Math.max(from, 20) > together) return tooLarge();
    const items = Array.from({ length: to - from }, (_, at) => sheep(`s${from + at}`));
    return { metadata: { resourceVersion: '7', ...(to < total && { continue: String(to) }) }, items };
  };
  return { page, limits };
};

test.each([1, 5])(
  'a few large objects in a row make the pages behind them no smaller, where %i come together',
  async (together) => {
    const { page, limits } = herd({ total: 10_100, large: 7, together });
    const { items } = await listed(listing(page));
    expect(items.map(({ metadata }) => metadata.name)).toEqual(Array.from({ length: 10_100 }, (_, at) => `s${at}`));
    expect(limits.length).toBeLessThan(50);
    expect([limits.at(-1), Math.max(...limits)]).toEqual([500, 500]);
  },
);

test('a list may have any number of pages that are full', async () => {
  const { page } = herd({ total: 30_000, large: 0, together: 1 });
  expect((await listed({ ...listing(page), pageSize: 2 })).items).toHaveLength(30_000);
});

test('what is not kept does not count', async () => {
  const page = async () => ({ metadata: { resourceVersion: '1' }, items: [sheep('x'.repeat(1 << 21))] });
  const slim = { ...listing(page, { objects: 1, bytes: 1 << 20 }), keep: () => sheep('slim') };
  expect((await listed(slim)).items).toEqual([sheep('slim')]);
});

// hack/decisions/0028 T73: names go into keys and messages, each of which is another text
test.each([
  ['name', 254],
  ['namespace', 254],
  ['uid', 129],
  ['resourceVersion', 129],
])('what lists an object whose %s is longer than any is no API server', (field, length) => {
  const answer = (long: number) => ({
    kind: 'SheepList',
    metadata: { resourceVersion: '1' },
    items: [sheep('a'), { metadata: { name: 'b', [field]: '1'.repeat(long) } }],
  });
  expect(() => pageIn(answer(length), nodes)).toThrow('no API server has the like');
  expect(pageIn(answer(length - 1), nodes).items).toHaveLength(2);
});
