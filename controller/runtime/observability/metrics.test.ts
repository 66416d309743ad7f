import { expect, test } from 'bun:test';
import { createMetrics, type Metrics, type MetricTable } from './metrics.ts';

const table: MetricTable = {
  drover_calls_total: { type: 'counter', help: 'Calls.', labels: ['verb'] },
  drover_level: { type: 'gauge', help: 'Level.', labels: [] },
  drover_wait_seconds: { type: 'histogram', help: 'Waits.', labels: ['verb'], buckets: [0.1, 1] },
};

const metricsOf = (...more: MetricTable[]) => createMetrics({ tables: [table, ...more] });

/** Lines of the text that are no comments and begin with `prefix`. */
async function linesOf(metrics: Metrics, prefix: string): Promise<string[]> {
  const text = await metrics.text();
  return text.split('\n').filter((line) => line.startsWith(prefix));
}

test('counters, gauges and histograms of the tables come out in the text format', async () => {
  const metrics = metricsOf();
  metrics.count('drover_calls_total', { verb: 'get' });
  metrics.count('drover_calls_total', { verb: 'get' }, 2);
  metrics.set('drover_level', 0.5);
  metrics.observe('drover_wait_seconds', 0.5, { verb: 'get' });
  const text = await metrics.text();
  expect(text).toContain('# HELP drover_calls_total Calls.\n# TYPE drover_calls_total counter');
  expect(text).toContain('drover_calls_total{verb="get"} 3');
  expect(text).toContain('drover_level 0.5');
  expect(text).toContain('drover_wait_seconds_bucket{le="0.1",verb="get"} 0');
  expect(text).toContain('drover_wait_seconds_bucket{le="1",verb="get"} 1');
  expect(text).toContain('drover_wait_seconds_sum{verb="get"} 0.5');
});

// hack/decisions/0028 T26
test('a label has 1,024 characters at the most, and its series is found again', async () => {
  const metrics = metricsOf();
  const verb = 'g'.repeat(1 << 20);
  metrics.count('drover_calls_total', { verb });
  metrics.count('drover_calls_total', { verb });
  expect(await linesOf(metrics, 'drover_calls_total{')).toEqual([`drover_calls_total{verb="${'g'.repeat(1_024)}"} 2`]);
  metrics.remove('drover_calls_total', { verb });
  expect(await linesOf(metrics, 'drover_calls_total{')).toEqual([]);
});

test.each<[string, string, string, (metrics: Metrics) => void]>([
  ['an unknown name', 'no_such', 'unknown', (metrics) => metrics.count('no_such')],
  ['another type', 'drover_level', 'unknown', (metrics) => metrics.count('drover_level')],
  ['a missing label', 'drover_calls_total', 'labels', (metrics) => metrics.count('drover_calls_total')],
  ['a label too many', 'drover_level', 'labels', (metrics) => metrics.set('drover_level', 1, { verb: 'get' })],
  ['another label', 'drover_calls_total', 'labels', (metrics) => metrics.count('drover_calls_total', { x: 'get' })],
  ['no number', 'drover_level', 'value', (metrics) => metrics.set('drover_level', Number.NaN)],
  [
    'infinity',
    'drover_wait_seconds',
    'value',
    (metrics) => metrics.observe('drover_wait_seconds', Infinity, { verb: 'x' }),
  ],
  [
    'a counter that falls',
    'drover_calls_total',
    'value',
    (metrics) => metrics.count('drover_calls_total', { verb: 'x' }, -1),
  ],
  ['a reset of nothing', 'no_such', 'unknown', (metrics) => metrics.reset('no_such')],
])('%s is counted as an error and not thrown', async (_what, metric, problem, misuse) => {
  const metrics = metricsOf();
  misuse(metrics);
  const line = `drover_metrics_errors_total{metric="${metric}",problem="${problem}"} 1`;
  expect(await linesOf(metrics, 'drover_metrics_errors_total')).toEqual([line]);
});

test('label values that contain one another’s separators stay apart', async () => {
  const metrics = metricsOf({ drover_pairs: { type: 'gauge', help: 'Pairs.', labels: ['a', 'b'] } });
  metrics.set('drover_pairs', 1, { a: 'x,y', b: 'z' });
  metrics.set('drover_pairs', 2, { b: 'y,z', a: 'x' });
  expect(await linesOf(metrics, 'drover_pairs')).toEqual([
    'drover_pairs{a="x,y",b="z"} 1',
    'drover_pairs{a="x",b="y,z"} 2',
  ]);
});

test('a reset drops the series, and later values make new ones', async () => {
  const metrics = metricsOf();
  metrics.count('drover_calls_total', { verb: 'get' });
  metrics.reset('drover_calls_total');
  expect(await linesOf(metrics, 'drover_calls_total')).toEqual([]);
  metrics.count('drover_calls_total', { verb: 'get' });
  expect(await linesOf(metrics, 'drover_calls_total')).toEqual(['drover_calls_total{verb="get"} 1']);
});

test('collectors run before each scrape until they are ended, and may fail', async () => {
  const metrics = metricsOf();
  let scrapes = 0;
  const end = metrics.onScrape(() => metrics.set('drover_level', ++scrapes));
  metrics.onScrape(() => {
    throw new Error('broken');
  });
  await metrics.text();
  expect(await linesOf(metrics, 'drover_level')).toEqual(['drover_level 2']);
  end();
  expect(await linesOf(metrics, 'drover_level')).toEqual(['drover_level 2']);
  expect(await linesOf(metrics, 'drover_metrics_errors_total')).toEqual([
    'drover_metrics_errors_total{metric="",problem="collect"} 4',
  ]);
});

test('two registries know nothing of one another', async () => {
  const [one, other] = [metricsOf(), metricsOf()];
  one.set('drover_level', 7);
  expect(await linesOf(one, 'drover_level')).toEqual(['drover_level 7']);
  expect(await linesOf(other, 'drover_level')).toEqual(['drover_level 0']);
});

test('a name that two tables declare, or that is not legal, is refused at the start', () => {
  expect(() => metricsOf(table)).toThrow('drover_calls_total');
  expect(() => metricsOf({ 'not legal': { type: 'gauge', help: 'No.', labels: [] } })).toThrow();
});

test('the process’s own metrics are there when asked for', async () => {
  const metrics = createMetrics({ tables: [], process: true });
  expect(await linesOf(metrics, 'process_resident_memory_bytes')).toHaveLength(1);
});

test('one series is removed, and begins anew when it is set again; one that is not there is no error', async () => {
  const metrics = createMetrics({ tables: [{ g: { type: 'gauge', help: 'G.', labels: ['a'] } }] });
  metrics.set('g', 1, { a: 'x' });
  metrics.set('g', 2, { a: 'y' });
  metrics.remove('g', { a: 'x' });
  metrics.remove('g', { a: 'z' });
  const lines = async () =>
    (await metrics.text()).split('\n').filter((line) => /^(g|drover_metrics_errors_total)\{/.test(line));
  expect(await lines()).toEqual(['g{a="y"} 2']);
  metrics.set('g', 3, { a: 'x' });
  expect((await lines()).sort()).toEqual(['g{a="x"} 3', 'g{a="y"} 2']);
  metrics.remove('h', {});
  expect(await lines()).toContain('drover_metrics_errors_total{metric="h",problem="unknown"} 1');
});
