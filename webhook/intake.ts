import type { MiddlewareHandler } from 'hono';
import type { Metrics } from '../controller/runtime/metrics.ts';

/** Bodies of so many bytes may be in work at once, from their headers to the answer. In memory they take several times that. */
export const MOST_BYTES_IN_WORK = 32 * 1024 * 1024;
/** Larger bodies leave a quarter of that to the others, so that a few of them cannot keep the many small ones out. */
const SMALL_BYTES = 64 * 1024;
const LARGE_SHARE = 3 / 4;

export interface IntakeParts {
  metrics: Metrics;
  /** Counted for a body that does not tell its length, bytes: the largest that is read. */
  unknownBytes: number;
}

/**
 * Turns away what would take too much memory together with what is in work, and lets its body pass by: with 429 and
 * Retry-After, on which the API server tries again until its own patience ends, and then refuses the request.
 */
export function intake({ metrics, unknownBytes }: IntakeParts): MiddlewareHandler {
  let inWork = 0;
  return async (c, next) => {
    const bytes = lengthOf(c.req.raw.headers) ?? unknownBytes;
    if (inWork + bytes > MOST_BYTES_IN_WORK * (bytes > SMALL_BYTES ? LARGE_SHARE : 1)) {
      metrics.count('drover_webhook_overloads_total', { path: c.req.path });
      // A client that is answered while it still sends may lose the answer.
      await c.req.raw.body?.pipeTo(new WritableStream());
      return c.text('Too many requests are in work.', 429, { 'Retry-After': '1' });
    }
    inWork += bytes;
    try {
      await next();
    } finally {
      inWork -= bytes;
    }
    return undefined;
  };
}

/** The length that a body has for sure; a Transfer-Encoding overrides what is declared (RFC 9112 6.3). */
export function lengthOf(headers: Headers): number | undefined {
  const length = headers.get('content-length');
  return length === null || headers.has('transfer-encoding') ? undefined : Number(length);
}
