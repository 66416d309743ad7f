import { expect, test } from 'bun:test';
import type { KubeObject } from '../runtime/k8s/object.ts';
import { createMetrics } from '../runtime/observability/metrics.ts';
import { Series } from './objectmetrics.ts';

const thing = (name: string, colour: string): KubeObject => ({ metadata: { name, labels: { colour } } });

function showing() {
  const metrics = createMetrics({
    tables: [{ shown: { type: 'gauge', help: 'Things.', labels: ['name', 'colour'] } }],
  });
  const asked: string[] = [];
  const series = new Series<KubeObject>(({ metadata: { name, labels } }) => {
    asked.push(name);
    return [{ name: 'shown', value: 1, labels: { name, colour: labels?.['colour'] ?? '' } }];
  });
  const show = async (...objects: KubeObject[]) => {
    asked.length = 0;
    series.show(metrics, objects);
    const lines = (await metrics.text()).split('\n').filter((line) => /^(shown|drover_metrics)/.test(line));
    return { asked: [...asked], lines: lines.sort() };
  };
  return show;
}

test('an object that is the same as before is not touched', async () => {
  const show = showing();
  const [a, b] = [thing('a', 'red'), thing('b', 'red')];
  expect((await show(a, b)).asked).toEqual(['a', 'b']);
  const again = await show(a, b);
  expect(again.asked).toEqual([]);
  expect(again.lines).toEqual(['shown{name="a",colour="red"} 1', 'shown{name="b",colour="red"} 1']);
});

test('of one that changed the old labels go, of one that is gone all of them', async () => {
  const show = showing();
  const a = thing('a', 'red');
  await show(a, thing('b', 'red'));
  expect((await show(a, thing('b', 'blue'))).lines).toEqual([
    'shown{name="a",colour="red"} 1',
    'shown{name="b",colour="blue"} 1',
  ]);
  expect((await show(a)).lines).toEqual(['shown{name="a",colour="red"} 1']);
  expect((await show()).lines).toEqual([]);
});

test('hack/decisions/0028 R4: an object that cannot be read is not shown, and hides no other', async () => {
  const metrics = createMetrics({ tables: [{ shown: { type: 'gauge', help: 'Things.', labels: ['name'] } }] });
  const series = new Series<KubeObject>(({ metadata: { name } }) => {
    if (name === 'bad') throw new TypeError('no spec');
    return [{ name: 'shown', value: 1, labels: { name } }];
  });
  series.show(metrics, [thing('a', 'red'), thing('bad', 'red'), thing('b', 'red')]);
  series.show(metrics, [thing('bad', 'blue'), thing('b', 'red')]);
  const lines = (await metrics.text()).split('\n').filter((line) => line.startsWith('shown'));
  expect(lines).toEqual(['shown{name="b"} 1']);
});
