import { expect, test } from 'bun:test';
import { FakeClock } from '../../controller/runtime/clock.fake.ts';
import { FakeLog } from '../../controller/runtime/observability/log.fake.ts';
import { createMetrics } from '../../controller/runtime/observability/metrics.ts';
import { seededRandom } from '../../controller/runtime/random.ts';
import { webhookMetrics } from '../metrics.ts';
import { issueAuthority, issueLeaf } from './authority.ts';
import { keepCertificate } from './rotator.ts';
import type { Served } from './source.ts';

const clock = new FakeClock();
const authority = await issueAuthority(clock.now());
const [first, second] = await Promise.all([
  issueLeaf(authority, ['a'], clock.now()),
  issueLeaf(authority, ['b'], clock.now()),
]);

/** Runs on a clock of its own; `answers` are what the source says, one after the other, the last for ever. */
function setUp(answers: Array<Served | Error>, serve?: () => void) {
  const now = new FakeClock();
  const log = new FakeLog();
  const served: string[] = [];
  const stop = new AbortController();
  const metrics = createMetrics({ tables: [webhookMetrics] });
  const source = {
    async current() {
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      if (!answer || answer instanceof Error) throw answer;
      return answer;
    },
  };
  const kept = keepCertificate({
    source,
    serve: ({ cert }) => {
      serve?.();
      served.push(cert);
    },
    clock: now,
    random: seededRandom(1),
    log,
    metrics,
    signal: stop.signal,
  });
  return { now, log, served, metrics, stop, kept };
}

test('each new certificate is served once, within about a minute', async () => {
  const { now, served, stop, kept } = setUp([{ pair: first }, { pair: first }, { pair: second }]);
  await now.advance(0);
  expect(served).toEqual([first.cert]);
  await now.advance(150_000);
  expect(served).toEqual([first.cert, second.cert]);
  stop.abort();
  await kept;
  expect(now.pending).toBe(0);
});

// hack/decisions/0028 W6
test('other authorities of clients are taken over as a new certificate is', async () => {
  const pair = { ...first, clientAuthorities: authority.cert };
  const { now, served, stop } = setUp([{ pair: first }, { pair }, { pair }]);
  await now.advance(250_000);
  expect(served).toEqual([first.cert, first.cert]);
  stop.abort();
});

test('a source that fails is asked again soon, and the old certificate stays', async () => {
  const { now, served, log, stop } = setUp([
    new Error('API server away'),
    new Error('API server away'),
    { pair: first },
  ]);
  await now.advance(3_000);
  expect(served).toEqual([first.cert]);
  expect(log.lines.map(({ level }) => level)).toEqual(['error', 'error', 'info']);
  stop.abort();
});

test('what is missing is told once and looked for soon', async () => {
  const { now, log, stop } = setUp([
    { pair: first, missing: ['it'] },
    { pair: first, missing: ['it'] },
    { pair: first },
  ]);
  await now.advance(3_000);
  const warnings = log.lines.filter(({ level }) => level === 'warn');
  expect(warnings.map(({ fields }) => fields)).toEqual([{ missing: 'it' }]);
  stop.abort();
});

test('a certificate that cannot be served is the end', async () => {
  const { kept } = setUp([{ pair: first }], () => {
    throw new Error('cannot listen');
  });
  await expect(kept).rejects.toThrow('cannot listen');
});

test('the days left are measured at each scrape', async () => {
  const { now, metrics, stop } = setUp([{ pair: first, authority: authority.cert }]);
  await now.advance(0);
  expect(await metrics.text()).toContain('drover_webhook_certificate_expiry_days{certificate="serving"} 30');
  await now.advance(24 * 3600 * 1000);
  const text = await metrics.text();
  expect(text).toContain('drover_webhook_certificate_expiry_days{certificate="serving"} 29');
  expect(text).toContain('drover_webhook_certificate_expiry_days{certificate="authority"} 364');
  stop.abort();
});
