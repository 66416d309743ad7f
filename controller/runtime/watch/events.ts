import { AnswerTooLarge } from '../client/answers.ts';
import { ApiError, isGone } from '../client/errors.ts';
import { ListTooLarge } from '../client/listing.ts';
import type { MetricTable } from '../observability/metrics.ts';

/** What was told so far is to be told anew. */
export class Renewal extends Error {
  constructor() {
    super('it is to be listed anew');
    this.name = 'Renewal';
  }
}

/** Nothing came on a connection, not even a bookmark. */
export class Silence extends Error {
  /** @param ms for how long */
  constructor(ms: number) {
    super(`nothing came for ${ms / 1000} s, not even a bookmark`);
    this.name = 'Silence';
  }
}

/** The version that a watch went on from does not belong to the server's history. */
export class HistoryLost extends Error {
  constructor(from: string, to: string) {
    super(`history went back from version ${from} to ${to}`);
    this.name = 'HistoryLost';
  }
}

/** What a server says that does not know a version yet: Timeout with this cause (metav1), or, below 1.19, these words. */
const TOO_LARGE = { cause: 'ResourceVersionTooLarge', words: 'Too large resource version' };

/**
 * The server itself says that it no longer, or not yet, knows the version that a watch was to go on from (client-go's
 * isExpiredError and isTooLargeResourceVersionError). What else is refused, a gateway's 400 or 504 among it, says nothing
 * of the version.
 */
export function isForgotten(error: unknown): boolean {
  if (error instanceof HistoryLost || isGone(error)) return true;
  if (!(error instanceof ApiError)) return false;
  const causes = error.details?.causes ?? [];
  if (causes.some(({ reason }) => reason === TOO_LARGE.cause)) return true;
  return error.reason === 'Timeout' && causes.some(({ message }) => message === TOO_LARGE.words);
}

/** Why a resource cannot be followed: there is more of it, or of one of its objects, than is read; undefined for any other error. */
export function tooLarge(error: unknown): string | undefined {
  const cause = error instanceof ApiError ? error.cause : undefined;
  return cause instanceof ListTooLarge || cause instanceof AnswerTooLarge ? cause.message : undefined;
}

const SECONDS = [0.01, 0.1, 1, 10, 60, 300, 600] as const;
const ITEMS = [1, 10, 100, 1_000, 10_000, 100_000] as const;

/** Metrics of lists and watches by resource, named as MCM's are (hack/spec/mcm.md 10.2); its summaries are histograms here. */
export const watchMetrics = {
  mcm_reflector_lists_total: { type: 'counter', help: 'Lists of a resource that were complete', labels: ['name'] },
  mcm_reflector_list_duration_seconds: {
    type: 'histogram',
    help: 'Time for a list with all its pages',
    labels: ['name'],
    buckets: SECONDS,
  },
  mcm_reflector_items_per_list: { type: 'histogram', help: 'Objects in a list', labels: ['name'], buckets: ITEMS },
  mcm_reflector_watches_total: { type: 'counter', help: 'Connections of a watch, refused ones too', labels: ['name'] },
  mcm_reflector_short_watches_total: {
    type: 'counter',
    help: 'Connections of a watch on which nothing came before they ended',
    labels: ['name'],
  },
  mcm_reflector_watch_duration_seconds: {
    type: 'histogram',
    help: 'How long a connection of a watch lasted',
    labels: ['name'],
    buckets: SECONDS,
  },
  mcm_reflector_items_per_watch: {
    type: 'histogram',
    help: 'Events on a connection of a watch',
    labels: ['name'],
    buckets: ITEMS,
  },
  mcm_reflector_last_resource_version: {
    type: 'gauge',
    help: 'Version of a resource up to which everything was seen',
    labels: ['name'],
  },
  drover_cache_errors_total: {
    type: 'counter',
    help: 'What was thrown for one object of a resource and contained, by part: index, keep or listener. The log names it.',
    labels: ['name', 'part'],
  },
} as const satisfies MetricTable;
