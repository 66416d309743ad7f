/** One panel of the dashboard. */
export interface Panel {
  title: string;
  /** What it shows, for whoever points at it. */
  description: string;
  /** A number of now, or lines over time. */
  type: 'stat' | 'timeseries';
  /** As Grafana names units: `short`, `s`, `percentunit`, `bytes`, `d`, `ops`. */
  unit: string;
  /** Expressions in PromQL, and what a series of each is called. */
  queries: ReadonlyArray<{ expr: string; legend: string }>;
}

/** Panels under one heading, by the heading. */
export type Rows = Readonly<Record<string, readonly Panel[]>>;

/** Variables of the dashboard that hold the jobs. */
export const jobVariables = { controller: '$controller', webhook: '$webhook' } as const;
