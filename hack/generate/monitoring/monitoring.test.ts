import { describe, expect, test } from 'bun:test';
import { metricTables as controllerTables } from '../../../controller/manager/metrics.ts';
import { createMetrics, ownMetrics } from '../../../controller/runtime/observability/metrics.ts';
import { metricTables as webhookTables } from '../../../webhook/metrics.ts';
import { jobs } from './alert.ts';
import { alerts } from './alerts.ts';
import { dashboard, rows } from './dashboard.ts';
import { jobVariables } from './panel.ts';
import { groupingLabels, problemsOf, type Series, seriesOf } from './promql.ts';

/** What the process tells of itself beside the tables. */
const processText = await createMetrics({ tables: [], process: true }).text();
const ofProcess = [...processText.matchAll(/^# TYPE (\w+) gauge|^# TYPE (\w+) counter/gm)].map(
  ([, gauge, counter]) => gauge ?? counter ?? '',
);

const exposed = (tables: Parameters<typeof seriesOf>[0]): Series =>
  new Map([...seriesOf([ownMetrics, ...tables]), ...ofProcess.map((name) => [name, []] as const)]);

const controller = exposed(Object.values(controllerTables));
const webhook = exposed(webhookTables);

const byJob: Readonly<Record<string, Series>> = {
  [jobs.controller]: controller,
  [jobs.webhook]: webhook,
  [jobVariables.controller]: controller,
  [jobVariables.webhook]: webhook,
};

const all = Object.values(alerts).flat();
const queries = Object.values(rows).flatMap((panels) =>
  panels.flatMap(({ title, queries }) => queries.map(({ expr, legend }) => ({ title, expr, legend }))),
);

/** Grafana puts a duration in the place of its variable. */
const filled = (expr: string): string => expr.replaceAll('$__rate_interval', '5m');

describe('what is asked for is exposed', () => {
  test.each(all.map(({ name, expr }) => [name, expr] as const))('by the alert %s', (_name, expr) => {
    expect(problemsOf(expr, (job) => byJob[job])).toEqual([]);
  });
  test.each(queries.map(({ title, expr }) => [title, expr] as const))('by the panel %s', (_title, expr) => {
    expect(problemsOf(filled(expr), (job) => byJob[job])).toEqual([]);
  });
});

test.each(all.map(({ name, summary, expr }) => [name, summary, expr] as const))(
  'the summary of %s names labels that the alert has',
  (_name, summary, expr) => {
    const named = [...summary.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label);
    expect(groupingLabels(expr)).toEqual(expect.arrayContaining(named));
  },
);

test.each(
  queries.filter(({ legend }) => legend !== '{{pod}}').map(({ title, expr, legend }) => [title, expr, legend] as const),
)('the legend of %s names labels that its series have', (_title, expr, legend) => {
  const named = [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label);
  expect(groupingLabels(filled(expr))).toEqual(expect.arrayContaining(named));
});

test('no two alerts share a name, and each says how long it waits', () => {
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  expect(all.filter((alert) => !/^\d+[mh]$/.test(alert.for) || !/^Drover[A-Z]/.test(alert.name))).toEqual([]);
});

test('no panel of the dashboard lies on another', () => {
  const { panels } = dashboard() as { panels: Array<{ gridPos: { x: number; y: number; w: number; h: number } }> };
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
});
