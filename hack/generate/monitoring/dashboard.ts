import { controllerRows } from './controllerpanels.ts';
import { jobVariables, type Panel, type Rows } from './panel.ts';
import { programRows } from './programpanels.ts';

/** Every panel, by the heading under which it stands. */
export const rows: Rows = { ...controllerRows, ...programRows };

/** Grafana's grid is 24 wide. */
const WIDTH = { stat: 6, timeseries: 12 } as const;
const HEIGHT = 8;
const GRID = 24;

const datasource = { type: 'prometheus', uid: '$datasource' };

/** The dashboard as Grafana imports it. */
export const dashboard = (): object => ({
  uid: 'drover',
  title: 'Drover',
  description: 'Machines, what holds them up, and the two programs that look after them.',
  tags: ['drover', 'kubernetes'],
  schemaVersion: 39,
  timezone: 'browser',
  refresh: '30s',
  time: { from: 'now-6h', to: 'now' },
  templating: { list: variables() },
  panels: numbered(Object.entries(rows).flatMap(([title, panels]) => [heading(title), ...panels.map(panel)])),
});

const variables = () => [
  { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' },
  jobVariable(jobVariables.controller, 'drover_leader'),
  jobVariable(jobVariables.webhook, 'drover_webhook_certificate_expiry_days'),
];

/** A choice among the jobs that expose a metric. */
function jobVariable(variable: string, metric: string) {
  const query = `label_values(${metric}, job)`;
  return { name: variable.slice(1), type: 'query', datasource, definition: query, query, refresh: 2 };
}

interface Placed {
  type: string;
  title: string;
  gridPos: { w: number; h: number };
}

const heading = (title: string): Placed => ({ type: 'row', title, gridPos: { w: GRID, h: 1 } });

const panel = ({ title, description, type, unit, queries }: Panel): Placed & Record<string, unknown> => ({
  type,
  title,
  description,
  datasource,
  gridPos: { w: WIDTH[type], h: HEIGHT },
  fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
  options: type === 'stat' ? { reduceOptions: { calcs: ['lastNotNull'] } } : { tooltip: { mode: 'multi' } },
  targets: queries.map(({ expr, legend }, index) => ({
    refId: String.fromCharCode(65 + index),
    expr,
    legendFormat: legend,
  })),
});

/** Gives each panel an id and its place: left to right, a new line where it would not fit. */
function numbered(panels: readonly Placed[]): object[] {
  let [x, y, h] = [0, 0, 0];
  return panels.map(({ gridPos, ...rest }, index) => {
    if (x + gridPos.w > GRID) [x, y, h] = [0, y + h, 0];
    const at = { ...gridPos, x, y };
    [x, h] = [x + gridPos.w, Math.max(h, gridPos.h)];
    return { id: index + 1, ...rest, gridPos: at };
  });
}
