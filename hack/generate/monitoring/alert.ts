/** An alert, as rules for Prometheus and the pages for those who are woken by it are made from it. */
export interface Alert {
  /** Begins with `Drover`, and says what is wrong. */
  name: string;
  /** PromQL: true while it is so. */
  expr: string;
  /** For how long it must be so before somebody is told, as Prometheus writes it. */
  for: string;
  /** `critical` wakes somebody up; `warning` can wait for the morning. */
  severity: 'critical' | 'warning';
  /** One line; may name labels of the expression, as Prometheus's templates do. */
  summary: string;
  /** What it means, where to look, and what to do; Markdown. */
  runbook: string;
}

/** Writes a selector of a metric, scraped by one job, with more matchers if there are any. */
export const scrapedBy =
  (job: string) =>
  (metric: string, ...matchers: readonly string[]): string =>
    `${metric}{${[`job="${job}"`, ...matchers].join(',')}}`;

/** The jobs are the names of the Services of a release `drover`; the chart puts those of its own release in their place. */
export const jobs = { controller: 'drover-controller', webhook: 'drover-webhook' } as const;
