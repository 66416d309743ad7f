import { expect, test } from 'bun:test';
import { act, wait } from '../../flow/flow.ts';
import { DecisionLog, decisionMetrics } from '../../framework/decisionlog.ts';
import { FakeLog } from '../../runtime/observability/log.fake.ts';
import { createMetrics } from '../../runtime/observability/metrics.ts';
import { STAYING } from '../../safety/meltdown/zonehealth.ts';
import { isRoutine, reasons } from './reasons.ts';

test('a drain that asks again and again whether pods may leave is one line of log', () => {
  const log = new FakeLog();
  const decisionLog = new DecisionLog({ kind: 'machine', log, metrics: createMetrics({ tables: [decisionMetrics] }) });
  const asks = { step: 'Drained', outcome: act('EvictPods', {}) };
  const refused = { step: 'Drained', outcome: wait('EvictionBlocked', 20_000) };
  for (const decision of [asks, refused, asks, refused]) {
    decisionLog.decided('herd/m', decision, { phase: 'Terminating', routine: isRoutine(decision) });
  }
  expect(log.lines.map(({ level, fields }) => `${level} ${fields['reason']}`)).toEqual([
    'debug EvictPods',
    'info EvictionBlocked',
    'debug EvictPods',
    'debug EvictionBlocked',
  ]);
});

// hack/decisions/0051 L118
test('a machine that stays until somebody acts takes no place of the replacement budget of its zone', () => {
  const staying = Object.entries(reasons).flatMap(([reason, { stays }]) => (stays ? [reason] : []));
  expect(staying.toSorted()).toEqual([...STAYING].toSorted());
});
