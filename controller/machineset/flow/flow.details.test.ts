import { describe, expect, test } from 'bun:test';
import { at, BORN, inPhase, machineSet } from '../../../test/fixtures/objects.ts';
import { plan } from './flow.ts';
import { heldBack } from './releases.ts';
import { deletionOrder } from './scaledown.ts';
import { propagation } from './template.ts';
import { view } from './view.fixture.ts';

// Each of these passes, and fails under a change of one line that no test beside it found before.

const NOW = BORN + 3_600_000;
const named = (name: string, phase = 'Running', changes: Parameters<typeof inPhase>[2] = {}) =>
  inPhase(phase, 0, { ...changes, metadata: { uid: `uid-${name}`, ...changes.metadata, name } });
const until = (expiry: number) => ({ currentStatus: { preserveExpiryTime: at(expiry) } });
const first = (machines: readonly ReturnType<typeof named>[], set = machineSet()) =>
  deletionOrder(machines, set, NOW)[0]?.metadata.name;

describe('a preserved machine goes last', () => {
  // scaledown.ts isNamed: `&& Number.isFinite(markedAt(machine))` taken out
  test('though somebody lowered its priority without a mark (hack/spec/mcm.md 5.5)', () => {
    const priority = { 'machinepriority.machine.sapcloud.io': '1' };
    const kept = named('kept', 'Failed', { metadata: { annotations: priority }, status: until(7200) });
    expect(first([kept, named('used')])).toBe('used');
  });

  // scaledown.ts yields: `phaseOf({ status }) === 'Failed' &&` taken out
  test('in a group with bounds, too, as long as it runs', () => {
    const bounds = { 'machine.sapcloud.io/cluster-api-autoscaler-node-group-max-size': '9' };
    const kept = named('kept', 'Running', { status: until(7200) });
    const used = named('used', 'Running', { metadata: { creationTimestamp: at(60) } });
    expect(first([kept, used], machineSet({ metadata: { annotations: bounds } }))).toBe('used');
  });
});

// flow.ts ceilingOf: `Math.max(most, replicas)` as `most`
test('a set that somebody made larger by hand makes what it wants, whatever was allowed when it was last scaled', () => {
  const annotations = {
    'deployment.kubernetes.io/desired-replicas': '2',
    'deployment.kubernetes.io/max-replicas': '2',
  };
  const { outcome } = plan(view({ set: machineSet({ metadata: { annotations }, spec: { replicas: 5 } }) }));
  expect(outcome).toMatchObject({ kind: 'act', action: { do: 'create', names: { length: 5 } } });
});

// template.ts liveChange: `phase === 'Failed' ||` taken out
test('a time-out of the template reaches no machine that Failed (hack/spec/mcm.md 5.3)', () => {
  const set = machineSet({ spec: { template: { spec: { drainTimeout: '1h' } } } });
  expect(propagation(set, named('a', 'Failed'))).toBeUndefined();
  expect(propagation(set, named('a'))).toEqual({ spec: { drainTimeout: '1h' } });
});

// releases.ts: WINDOW_MS of half an hour
test('machines that were let go count for an hour', () => {
  const since = (minutes: number) => {
    const status = { releases: { machines: 1, since: at(0) } };
    const facts = { now: BORN + minutes * 60_000, set: machineSet({ status }), strays: [named('a')] };
    return heldBack(view(facts)).map(({ metadata }) => metadata.name);
  };
  expect(since(59)).toEqual(['a']);
  expect(since(60)).toEqual([]);
});
