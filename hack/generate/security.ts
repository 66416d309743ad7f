import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Generated, notice } from './generated.ts';

const ROOT = join(import.meta.dir, '../..');
const CHART = 'charts/drover/';

/** charts/drover/SECURITY.md: that of the project, as it is read from there. */
export const chartSecurity = (): Generated[] => {
  const [title = '', ...rest] = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8').split('\n');
  const text = [title, '', `<!-- ${notice('SECURITY.md')} -->`, ...rest].join('\n');
  return [
    {
      path: `${CHART}SECURITY.md`,
      content: text.replaceAll(/\]\(([^)#:]+)(#[^)]*)?\)/g, (_, to, heading = '') => `](${fromChart(to)}${heading})`),
    },
  ];
};

/** A path of the project, as it is reached from the chart. */
const fromChart = (path: string): string => (path.startsWith(CHART) ? path.slice(CHART.length) : `../../${path}`);
