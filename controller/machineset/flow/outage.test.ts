import { expect, test } from 'bun:test';
import { inPhase, machineSet } from '../../../test/fixtures/objects.ts';
import type { Gate } from '../../safety/outage/gate.ts';
import { plan } from './flow.ts';
import { view } from './view.fixture.ts';
import type { MachineSetView } from './view.ts';

const shut = (away: 'control' | 'target'): Gate => ({ shut: { unreachable: away, since: 0 }, judgesFrom: 0 });
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
    'ScaledDown TargetClusterUnreachable DeleteMachines',
    'ScaledDown ControlClusterUnreachable DeleteMachines',
  ],
  [
    'so does a replacement',
    { machines: [...running(2), failed] },
    'ScaledDown TargetClusterUnreachable DeleteMachines',
    'ScaledDown ControlClusterUnreachable DeleteMachines',
  ],
  [
    'but machines that are wanted beside it are made',
    { machines: [running(1)[0], failed] as never },
    'ScaledUp CreateMachines',
    'ScaledDown ControlClusterUnreachable DeleteMachines',
  ],
  [
    'a scale-up goes on while it can be recorded',
    { machines: running(2) },
    'ScaledUp CreateMachines',
    'ScaledUp ControlClusterUnreachable CreateMachines',
  ],
  [
    'the end of the set waits',
    { set: leaving, machines: running(1) },
    'ChildrenDeleted TargetClusterUnreachable DeleteMachines',
    'ChildrenDeleted ControlClusterUnreachable DeleteMachines',
  ],
  [
    'to the last',
    { set: leaving },
    'FinalizerRemoved TargetClusterUnreachable RemoveFinalizer',
    'FinalizerRemoved ControlClusterUnreachable RemoveFinalizer',
  ],
  ['what is as it should be stays so', { machines: running(3) }, 'Reconciled pass', 'Reconciled pass'],
])('in an outage %s (hack/spec/mcm.md 13.2)', (_what, facts, target, control) => {
  expect([judged(shut('target'), facts), judged(shut('control'), facts)]).toEqual([target, control]);
});
