import type { Clock } from '../../controller/runtime/clock.ts';
import { Backoff } from '../../controller/runtime/fairness/rate.ts';
import type { Log } from '../../controller/runtime/observability/log.ts';
import type { Metrics } from '../../controller/runtime/observability/metrics.ts';
import { jitter, type Random } from '../../controller/runtime/random.ts';
import { type Credentials, factsOf } from './keypair.ts';
import type { Served, Source } from './source.ts';

/** How often the source is asked: how soon a certificate is served that another replica renewed. */
const CHECK_MS = 60_000;
/** How soon it is asked again after a failure, or while something is missing. */
const RETRY = { baseMs: 500, capMs: 10_000 };

const DAY_MS = 24 * 3600 * 1000;

export interface KeepParts {
  source: Source;
  /** Serves a certificate from now on. */
  serve(credentials: Credentials): void | Promise<void>;
  clock: Clock;
  random: Random;
  log: Log;
  metrics: Metrics;
  signal: AbortSignal;
}

/**
 * Serves the source's certificate, and each new one in its place, until the signal aborts. When the source fails, the old
 * one stays; when `serve` fails, so does this.
 */
export async function keepCertificate(parts: KeepParts): Promise<void> {
  const { clock, random, metrics, signal } = parts;
  const backoff = new Backoff({ random, ...RETRY });
  let served: Served | undefined;
  const unmeasured = metrics.onScrape(() => measure(parts, served));
  while (!signal.aborted) {
    const next = await attempt(parts, served);
    if (next && !isSame(next.pair, served?.pair)) await exchange(parts, next.pair);
    served = next ?? served;
    const settled = next && !next.missing?.length;
    if (settled) backoff.forget('source');
    await clock.sleep(settled ? jitter(random, CHECK_MS) : backoff.next('source'), signal).catch(() => {});
  }
  unmeasured();
}

const isSame = (one: Credentials, other: Credentials | undefined): boolean =>
  one.cert === other?.cert && one.clientAuthorities === other.clientAuthorities;

async function exchange({ serve, log }: KeepParts, pair: Credentials): Promise<void> {
  await serve(pair);
  log.info('serving a new certificate', { until: factsOf(pair.cert)?.certificate.validTo });
}

async function attempt({ source, log, signal }: KeepParts, before: Served | undefined): Promise<Served | undefined> {
  try {
    const now = await source.current(signal);
    const missing = now.missing?.join(', ');
    if (missing && missing !== before?.missing?.join(', '))
      log.warn('the API server cannot call the webhook yet', { missing });
    return now;
  } catch (error) {
    if (!signal.aborted) log.error('the certificate could not be brought up to date', { error });
    return undefined;
  }
}

function measure({ clock, metrics }: KeepParts, served: Served | undefined): void {
  for (const [certificate, pem] of Object.entries({ serving: served?.pair.cert, authority: served?.authority })) {
    const facts = pem === undefined ? undefined : factsOf(pem);
    if (facts)
      metrics.set('drover_webhook_certificate_expiry_days', (facts.to - clock.now()) / DAY_MS, { certificate });
  }
}
