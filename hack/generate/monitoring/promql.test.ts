import { expect, test } from 'bun:test';
import { problemsOf, seriesOf } from './promql.ts';

const series = seriesOf([
  {
    items: { type: 'gauge', help: '', labels: ['kind'] },
    seconds: { type: 'histogram', help: '', labels: ['verb'] },
  },
]);

test.each<[string, string[]]>([
  ['max by (kind) (items{job="a"}) > 0', []],
  ['histogram_quantile(0.99, sum by (le, verb) (rate(seconds_bucket{job="a"}[5m])))', []],
  ['absent(up{job="a"} == 1)', []],
  ['sum by (kind', ['cannot be read from "" on']],
  ['rate(items{job="a"}) >', ['cannot be read from "" on']],
  ['item{job="a"}', ['no program exposes item to the job a']],
  ['items{job="b"}', ['no program exposes items to the job b']],
  ['items', ['no program exposes items to the job that is not named']],
  ['seconds{job="a"}', ['no program exposes seconds to the job a']],
  ['items{job="a",kinds="x"}', ['items has no label kinds']],
  ['sum by (verb) (items{job="a"})', ['grouping by verb, which not all of its series have']],
  [
    'items{job="a"} / on (kind) group_left () seconds_sum{job="a"}',
    ['grouping by kind, which not all of its series have'],
  ],
])('%s', (expression, problems) => {
  expect(problemsOf(expression, (job) => (job === 'a' ? series : undefined))).toEqual(problems);
});
