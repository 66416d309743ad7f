import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Clock } from '../../controller/runtime/clock.ts';
import type { Log } from '../../controller/runtime/observability/log.ts';
import type { Metrics } from '../../controller/runtime/observability/metrics.ts';
import { type Checks, probes } from '../../controller/runtime/observability/server.ts';
import type { Decide } from '../admission/admit.ts';
import { answerUnfit } from '../admission/response.ts';
import { REVIEW_VERSION, readReview, Unreadable } from '../admission/review.ts';
import type { Client } from './lanes.ts';

/** Largest body that is read: an object and its predecessor, each as large as the API server takes it (3 MiB), and a bit. */
export const MOST_BODY_BYTES = 7 * 1024 * 1024;

export interface ServerParts {
  validate: Decide;
  mutate: Decide;
  /** What must hold before requests should come here. */
  ready: Checks;
  /** Whether reviews are answered only for clients with a certificate; what tells of health and metrics is for all. */
  trustedOnly?: boolean;
  /** True from the moment at which the program was told to stop. */
  isStopping(): boolean;
  clock: Clock;
  log: Log;
  metrics: Metrics;
}

/** All endpoints of the webhook. A review that can be read is answered with 200 and its uid, whatever the verdict. */
export function createServer(parts: ServerParts): Hono {
  const app = new Hono();
  const limit = limitBody(parts);
  app.use(async (c, next) => {
    await next();
    // Whoever keeps a connection to a server that goes away would lose a request on it.
    if (parts.isStopping()) c.header('Connection', 'close');
  });
  const trusted = onlyTrusted(parts);
  app.post('/validate', trusted, limit, (c) => review(c, parts, parts.validate));
  app.post('/mutate', trusted, limit, (c) => review(c, parts, parts.mutate));
  app.route('/', probes({ healthy: {}, ready: parts.ready, metrics: parts.metrics }));
  app.onError((error, c) => unreadable(c, parts, error));
  return app;
}

/** What the listener tells of the client; nothing in a call that came without one. */
const clientOf = ({ env }: Context): Partial<Client> => env ?? {};

async function review(c: Context, { clock, metrics }: ServerParts, decide: Decide): Promise<Response> {
  const began = clock.monotonic();
  const read = readReview(await c.req.text());
  if ('unfit' in read) metrics.count('drover_webhook_malformed_reviews_total', { path: c.req.path });
  const answer =
    'unfit' in read ? answerUnfit(read.unfit) : await decide({ ...read.request, from: clientOf(c).address });
  metrics.observe('drover_webhook_review_duration_seconds', (clock.monotonic() - began) / 1000, { path: c.req.path });
  return c.json({ apiVersion: REVIEW_VERSION, kind: 'AdmissionReview', response: { uid: read.uid, ...answer } });
}

/** Nobody else is heard, and nothing of what they send is read. */
const onlyTrusted =
  ({ trustedOnly = false, metrics }: ServerParts): MiddlewareHandler =>
  async (c, next) => {
    if (!trustedOnly || clientOf(c).trusted) return next();
    metrics.count('drover_webhook_malformed_reviews_total', { path: c.req.path });
    return c.text('Reviews take a client certificate of an authority in --client-ca-file.', 401);
  };

/** The length that a body has for sure; a Transfer-Encoding overrides what is declared (RFC 9112 6.3). */
function lengthOf(headers: Headers): number | undefined {
  const length = headers.get('content-length');
  return length === null || headers.has('transfer-encoding') ? undefined : Number(length);
}

/** Counts a body whose length is not told while it is read; looking at a body for that makes every request dearer. */
function limitBody(parts: ServerParts): MiddlewareHandler {
  const counted = bodyLimit({ maxSize: MOST_BODY_BYTES, onError: (c) => tooLarge(c, parts) });
  return (c, next) => {
    const bytes = lengthOf(c.req.raw.headers);
    if (bytes === undefined) return counted(c, next);
    return bytes > MOST_BODY_BYTES ? Promise.resolve(tooLarge(c, parts)) : next();
  };
}

function tooLarge(c: Context, { metrics }: ServerParts): Response {
  metrics.count('drover_webhook_malformed_reviews_total', { path: c.req.path });
  return c.text(`The body is larger than ${MOST_BODY_BYTES} bytes.`, 413);
}

function unreadable(c: Context, { metrics, log }: ServerParts, error: Error): Response {
  metrics.count('drover_webhook_malformed_reviews_total', { path: c.req.path });
  log.warn('a call is no admission review', { path: c.req.path, error });
  return c.text(error instanceof Unreadable ? error.message : 'The body could not be read.', 400);
}
