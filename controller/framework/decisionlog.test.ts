import { expect, test } from 'bun:test';
import { act, type Decision, pass, wait } from '../flow/flow.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import { FakeLog } from '../runtime/observability/log.fake.ts';
import { createLog } from '../runtime/observability/log.ts';
import { createMetrics } from '../runtime/observability/metrics.ts';
import { DecisionLog, decisionMetrics } from './decisionlog.ts';

const waiting: Decision<unknown> = { step: 'NodeRegistered', outcome: wait('NodeNotRegistered', 9, 'no Node yet') };
const settled: Decision<unknown> = { step: 'Reconciled', outcome: pass };
const poll: Decision<unknown> = { step: 'VMCreated', outcome: act('GetVMStatus', {}) };

function journalOf() {
  const log = new FakeLog();
  const metrics = createMetrics({ tables: [decisionMetrics] });
  return { log, metrics, decisionLog: new DecisionLog({ kind: 'machine', log, metrics }) };
}

test('a change of the decision is told at info, a repeat at debug, with the same names', () => {
  const { decisionLog, log } = journalOf();
  const changed = [
    decisionLog.decided('herd/m', waiting, { phase: 'Pending' }),
    decisionLog.decided('herd/m', waiting, { phase: 'Pending' }),
    decisionLog.decided('herd/m', poll, { phase: 'Pending', routine: true }),
    decisionLog.decided('herd/m', waiting, { phase: 'Pending' }),
    decisionLog.decided('herd/m', settled, { phase: 'Running' }),
    decisionLog.decided('herd/other', settled, { phase: 'Running' }),
  ];
  expect(changed).toEqual([true, false, false, false, true, true]);
  // A new process says nothing of the many that are settled.
  expect(log.lines.map(({ level }) => level)).toEqual(['info', 'debug', 'debug', 'debug', 'info', 'debug']);
  expect(log.lines[0]).toEqual({
    level: 'info',
    message: 'decided',
    fields: {
      machine: 'herd/m',
      step: 'NodeRegistered',
      outcome: 'wait',
      reason: 'NodeNotRegistered',
      phase: 'Pending',
      message: 'no Node yet',
    },
  });
});

test('a line about a Secret tells its name, which the log does not hide', () => {
  const lines: string[] = [];
  const log = createLog({ clock: new FakeClock(), sink: { write: (line) => lines.push(line) } });
  const decisionLog = new DecisionLog({ kind: 'secret', log, metrics: createMetrics({ tables: [decisionMetrics] }) });
  decisionLog.decided('herd/cloud', waiting);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ secretName: 'herd/cloud', step: 'NodeRegistered' });
});

test('a new phase is a change, and so is whatever is said of an object that was gone', () => {
  const { decisionLog } = journalOf();
  const said = () => decisionLog.decided('herd/m', waiting, { phase: 'Pending' });
  expect([said(), said(), decisionLog.decided('herd/m', waiting, { phase: 'Unknown' })]).toEqual([true, false, true]);
  decisionLog.forget('herd/m');
  expect(decisionLog.decided('herd/m', waiting, { phase: 'Unknown' })).toBe(true);
});

test('every decision is counted by loop, step and outcome', async () => {
  const { decisionLog, metrics } = journalOf();
  for (const decision of [waiting, waiting, settled]) decisionLog.decided('herd/m', decision);
  const counted = (await metrics.text()).split('\n').filter((line) => line.startsWith('drover_decisions'));
  expect(counted).toEqual([
    'drover_decisions_total{name="machine",step="NodeRegistered",outcome="wait"} 2',
    'drover_decisions_total{name="machine",step="Reconciled",outcome="pass"} 1',
  ]);
});

test('a text is news once, until it was another; silence is no news', () => {
  const { decisionLog } = journalOf();
  const news = (text: string) => decisionLog.isChanged('herd/m', 'complaint', text);
  expect([news(''), news('a'), news('a'), news('b'), news(''), news('b')]).toEqual([
    false,
    true,
    false,
    true,
    false,
    true,
  ]);
});
