import { expect, test } from 'bun:test';
import { act, wait } from '../../flow/flow.ts';
import { decisionMetrics, Journal } from '../../framework/decisionlog.ts';
import { FakeLog } from '../../runtime/observability/log.fake.ts';
import { createMetrics } from '../../runtime/observability/metrics.ts';
import { isRoutine } from './reasons.ts';

test('a drain that asks again and again whether pods may leave is one line of log', () => {
  const log = new FakeLog();
  const journal = new Journal({ kind: 'machine', log, metrics: createMetrics({ tables: [decisionMetrics] }) });
  const asks = { step: 'Drained', outcome: act('EvictPods', {}) };
  const refused = { step: 'Drained', outcome: wait('EvictionRefused', 20_000) };
  for (const decision of [asks, refused, asks, refused]) {
    journal.decided('herd/m', decision, { phase: 'Terminating', routine: isRoutine(decision) });
  }
  expect(log.lines.map(({ level, fields }) => `${level} ${fields['reason']}`)).toEqual([
    'debug EvictPods',
    'info EvictionRefused',
    'debug EvictPods',
    'debug EvictionRefused',
  ]);
});
