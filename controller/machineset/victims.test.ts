import { expect, test } from 'bun:test';
import { at, BORN, inPhase, machineDeployment, machineSet } from '../../test/fixtures/objects.ts';
import { isVictim } from '../victim.ts';
import { plan } from './reconcile.ts';
import { victimsUntil } from './victims.ts';
import { view } from './view.fixture.ts';

const SCALED = 'machine.sapcloud.io/last-deployment-replica-change-by-scaler-time';
const DESIRED = 'deployment.kubernetes.io/desired-replicas';
const setOf = (annotations: Record<string, string>) => machineSet({ metadata: { annotations } });
const pool = machineDeployment({ spec: { replicas: 2 } });
const marked = (name: string, time: string, priority = '1') =>
  inPhase('Running', 0, {
    metadata: {
      name,
      annotations: {
        'machinepriority.machine.sapcloud.io': priority,
        'machine.sapcloud.io/marked-for-deletion-time': time,
      },
    },
  });
const until = BORN + 20_000;

test.each([
  ['that no scaler has scaled', setOf({ [DESIRED]: '2' }), pool, Number.NaN],
  ['that follows its deployment', setOf({ [DESIRED]: '2', [SCALED]: at(20) }), pool, until],
  ['that has yet to follow it', setOf({ [DESIRED]: '3', [SCALED]: at(20) }), pool, Number.NaN],
  ['of no deployment', setOf({ [SCALED]: at(20) }), undefined, until],
  ['with a time that is none', setOf({ [SCALED]: 'soon' }), undefined, Number.NaN],
] as const)('a set %s: up to when machines go', (_what, set, deployment, moment) => {
  expect(victimsUntil(set, deployment)).toBe(moment);
});

test.each([
  ['marked before', marked('a', at(10)), true],
  ['marked at that moment', marked('a', at(20)), true],
  ['marked later', marked('a', at(21)), false],
  ['of another priority', marked('a', at(10), '3'), false],
  ['that nobody marked', inPhase('Running'), false],
] as const)('a machine %s (MCM 4.11)', (_what, machine, goes) => {
  expect([isVictim(machine, until), isVictim(machine, Number.NaN)]).toEqual([goes, false]);
});

test('a marked machine goes although the number is right (MCM 5.4)', () => {
  const machines = [marked('a', at(10)), inPhase('Running', 0, { metadata: { name: 'b' } }), marked('c', at(30))];
  const { outcome } = plan(view({ machines, victimsUntil: until }));
  expect(outcome).toMatchObject({ action: { do: 'delete', machines: [{ metadata: { name: 'a' } }] } });
});
