import { type Generated, notice } from './generated.ts';
import type { Alert } from './monitoring/alert.ts';
import { alerts } from './monitoring/alerts.ts';
import { dashboard } from './monitoring/dashboard.ts';
import { yamlDocument, yamlFile } from './yaml.ts';

const SOURCE = 'the tables in hack/generate/monitoring';

/** Rules and the dashboard, as the chart brings them, and charts/drover/ALERTS.md for those who are woken by one. */
export const monitoring = (): Generated[] => [
  {
    path: 'charts/drover/files/monitoring/rules.yaml',
    content: yamlFile(SOURCE, [yamlDocument({ groups: Object.entries(alerts).map(group) })]),
  },
  {
    path: 'charts/drover/files/monitoring/dashboard.json',
    content: `${JSON.stringify(dashboard(), null, 2)}\n`,
  },
  {
    path: 'charts/drover/ALERTS.md',
    content: `${[introduction, ...Object.values(alerts).flat().map(chapter)].join('\n\n')}\n`,
  },
];

const group = ([name, rows]: [string, readonly Alert[]]) => ({ name, rules: rows.map(rule) });

const rule = ({ name, expr, for: time, severity, summary, runbook }: Alert) => ({
  alert: name,
  expr,
  for: time,
  labels: { severity },
  annotations: { summary, description: runbook },
});

const introduction = `# Alerts

<!-- ${notice(SOURCE)} -->

What the chart's PrometheusRule tells, with \`monitoring.enabled\`, and what to do about it. The same words are the
\`description\` of each alert. Without the Prometheus operator, load
[rules.yaml](files/monitoring/rules.yaml), which takes the jobs to be called \`drover-controller\` and \`drover-webhook\`.
\`critical\` is for now, \`warning\` for the next morning.`;

const chapter = ({ name, expr, for: time, severity, summary, runbook }: Alert): string => `## ${name}

*${severity}, after ${time}*: ${plain(summary)}

${runbook}

\`\`\`promql
${expr}
\`\`\``;

/** A summary with the names of labels in place of their values. */
const plain = (summary: string): string =>
  summary.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, '‹$1›').replaceAll(/\{\{ \$value[^}]*\}\}/g, '‹number›');
