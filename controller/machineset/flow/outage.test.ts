import { expect, test } from 'bun:test';
import { inPhase, machineSet } from '../../../test/fixtures/objects.ts';
import type { Gate } from '../../safety/outage/gate.ts';
import { plan } from './flow.ts';
import { view } from './view.fixture.ts';
import type { MachineSetView } from './view.ts';

const shut = (away: 'control' | 'target'): Gate => ({ shut: { away, since: 0 }, judgesFrom: 0 });
const running = (count: number) =>
  Array.from({ length: count }, (_, at) => inPhase('Running', 0, { metadata: { name: `m${at}`, uid: `uid-${at}` } }));
const failed = inPhase('Failed', 0, { metadata: { name: 'f', uid: 'uid-f' } });
const leaving = machineSet({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });

const judged = (gate: Gate, facts: Partial<MachineSetView>): string => {
  const { step, outcome, held } = plan(view({ gate, ...facts }));
  return [step, outcome.kind === 'pass' ? 'pass' : outcome.reason, ...(held ? [held] : [])].join(' ');
};

test.each<[what: string, facts: Partial<MachineSetView>, target: string, control: string]>([
  [
    'a scale-down waits',
    { machines: running(4) },
    'Trimmed TargetAway DeleteMachines',
    'Trimmed ControlAway DeleteMachines',
  ],
  [
    'so does a replacement',
    { machines: [...running(2), failed] },
    'Trimmed TargetAway DeleteMachines',
    'Trimmed ControlAway DeleteMachines',
  ],
  [
    'but machines that are wanted beside it are made',
    { machines: [running(1)[0], failed] as never },
    'Filled CreateMachines',
    'Trimmed ControlAway DeleteMachines',
  ],
  [
    'a scale-up goes on while it can be recorded',
    { machines: running(2) },
    'Filled CreateMachines',
    'Filled ControlAway CreateMachines',
  ],
  [
    'the end of the set waits',
    { set: leaving, machines: running(1) },
    'Emptied TargetAway DeleteMachines',
    'Emptied ControlAway DeleteMachines',
  ],
  ['to the last', { set: leaving }, 'Unguarded TargetAway RemoveFinalizer', 'Unguarded ControlAway RemoveFinalizer'],
  ['what is as it should be stays so', { machines: running(3) }, 'Settled pass', 'Settled pass'],
])('in an outage %s (MCM 13.2)', (_what, facts, target, control) => {
  expect([judged(shut('target'), facts), judged(shut('control'), facts)]).toEqual([target, control]);
});
