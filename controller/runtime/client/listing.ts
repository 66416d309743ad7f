import type { KubeObject, Resource } from '../k8s/object.ts';
import { accountOf, type CacheAccount } from '../memory/cacheroom.ts';
import { weightOf } from '../memory/weight.ts';
import { AnswerTooLarge, ofKind } from './answers.ts';
import { ApiError } from './errors.ts';

/** How much of a resource is kept. */
export interface Most {
  objects: number;
  /** What the kept objects weigh together (weight.ts). */
  bytes: number;
}

/** All objects that matched, and the version of the resource at which they were so. */
export interface ObjectList<T extends KubeObject> {
  items: T[];
  resourceVersion: string;
}

/** How a list is read. */
export interface Listing<T extends KubeObject> {
  /** Asks for a page of so many objects; the token is that of the page before. */
  page(query: { limit: number; continue?: string }): Promise<Page<T>>;
  /** Objects a page, or 0 for all; fewer are asked for where they are too large to come together. */
  pageSize: number;
  /** What of an object is kept. */
  keep(item: T): T;
  /** Absent: no bound but that of pages with next to nothing. */
  most?: Most | undefined;
  /** Where what is kept is counted; what it refuses is too much. Absent: `most` bounds each list by itself. */
  account?: CacheAccount | undefined;
}

/**
 * More pages with next to nothing than any list takes. Those that bring what was asked for are not counted: they are bounded by what
 * comes, and how many an honest list has rests with whoever makes its objects large.
 */
const MOST_POOR_PAGES = 10_000;

/** Objects a page, where all of a list are too large to come at once. */
const PAGE = 500;

/** A limit falls to a part of this, and grows by as much after each page that fitted. */
const STEP = 4;

/** There is more of a resource than is kept of it. */
export class ListTooLarge extends Error {
  readonly code = 'ERR_LIST_TOO_LARGE';

  constructor(what: string) {
    super(`the list has more than ${what}, the most that is read of it`);
    this.name = 'ListTooLarge';
  }
}

/**
 * All pages of a list; where they are too large, fewer objects are asked for until one has fitted. Of a list that is complete the
 * account goes on counting, until the caller settles or drops it. Throws ListTooLarge, or whatever `page` throws.
 */
export async function listed<T extends KubeObject>(listing: Listing<T>): Promise<ObjectList<T>> {
  const account = listing.account ?? (listing.most && accountOf(listing.most.bytes));
  account?.drop();
  try {
    return await pagesOf(listing, account);
  } catch (error) {
    account?.drop();
    throw error;
  }
}

async function pagesOf<T extends KubeObject>(
  listing: Listing<T>,
  account: CacheAccount | undefined,
): Promise<ObjectList<T>> {
  const items: T[] = [];
  const room = roomFor(listing.most, account);
  let limit = listing.pageSize;
  let next: { continue?: string } = {};
  for (let poor = 0; poor < MOST_POOR_PAGES; ) {
    const page = await listing.page({ limit, ...next }).catch((error: unknown) => {
      if (!isTooLarge(error) || limit === 1) throw error;
      limit = Math.max(1, Math.floor((limit || PAGE) / STEP));
    });
    if (!page) continue;
    for (const item of page.items) {
      const kept = listing.keep(item);
      room(kept);
      items.push(kept);
    }
    if (!page.metadata.continue) return { items, resourceVersion: page.metadata.resourceVersion };
    if (page.items.length * STEP < Math.max(1, limit)) poor += 1;
    limit = Math.min(listing.pageSize || PAGE, limit * STEP);
    next = { continue: page.metadata.continue };
  }
  throw new ListTooLarge(`${MOST_POOR_PAGES} pages with next to nothing`);
}

/** Counts what is kept; throws as soon as it is too much. */
function roomFor(most: Most | undefined, account: CacheAccount | undefined): (kept: KubeObject) => void {
  let left = most?.objects ?? Infinity;
  return (kept) => {
    left -= 1;
    if (left < 0) throw new ListTooLarge(`${most?.objects} objects`);
    const why = account?.list(weightOf(kept));
    if (why !== undefined) throw new ListTooLarge(why);
  };
}

const isTooLarge = (error: unknown): boolean => error instanceof ApiError && error.cause instanceof AnswerTooLarge;

/** A page of a list (metav1 ListMeta, and the items). */
export interface Page<T extends KubeObject> {
  metadata: { resourceVersion: string; continue?: string };
  items: T[];
}

/**
 * The page that an answer is. Throws an Error for anything else: what is taken for an empty list empties a cache, and what
 * stands between may answer with JSON of its own.
 */
export function pageIn<T extends KubeObject>(answer: unknown, resource: Pick<Resource, 'shape' | 'kind'>): Page<T> {
  const { kind = 'List', metadata, items } = (answer ?? {}) as Partial<Page<T>> & { kind?: string };
  // An API server encodes a list that was never filled as null.
  const isList = kind.endsWith('List') && (items === null || Array.isArray(items));
  if (!isList || typeof metadata?.resourceVersion !== 'string') throw new Error('it is not a list');
  for (const item of items ?? []) ofKind(item, resource);
  return { metadata, items: items ?? [] };
}
