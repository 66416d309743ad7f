import { describe, expect, test } from 'bun:test';
import { at, BORN, inPhase, machine } from '../../../test/fixtures/objects.ts';
import { newsOf } from '../status/events.ts';
import { statusOf } from '../status/status.ts';
import { plan } from './flow.ts';
import { behind } from './replacementbudget.ts';
import { deleted, idle, readyNode, recorded, view, vm } from './view.fixture.ts';
import type { MachineView } from './view.ts';

const NOW = BORN + 60_000;
const asked = { ...idle, askedAt: NOW };
const sick = { vm, calls: asked, node: { ...readyNode, ready: false }, limits: { ...view().limits, health: 10_000 } };
const failed = { errorReason: 'InvalidArgument', errorMessage: 'no such image' };

/** The status that is written, and the events that go with it. */
function outcome(facts: Partial<MachineView>) {
  const seen = view(facts);
  const decision = plan(seen);
  const status = statusOf(seen, decision, at(60));
  return { status, events: newsOf(seen, decision, status).map(({ type, reason }) => `${type} ${reason}`) };
}

describe('defects of Cluster API that are not ours:', () => {
  test('hack/spec/cluster-api.md A1.12 L2: a Machine whose Cluster is gone goes with its VM', () => {
    const labels = { node: 'm', 'cluster.k8s.io/cluster-name': 'gone' };
    const leaving = machine({ ...recorded, metadata: { labels, deletionTimestamp: at(50) } });
    const step = (facts: Partial<MachineView>) => plan(view({ machine: leaving, node: { at: 'none' }, ...facts })).step;
    expect([step({ vm, calls: asked }), step(deleted)]).toEqual(['VMDeleted', 'FinalizerRemoved']);
  });

  test('hack/spec/cluster-api.md A1.12 L6: an error that no longer holds is taken back', () => {
    const { status } = outcome({
      machine: inPhase('Pending', 0, { ...recorded, status: failed }),
      vm,
      calls: asked,
      node: readyNode,
    });
    expect(status).toMatchObject({
      errorReason: undefined,
      errorMessage: undefined,
      currentStatus: { phase: 'Running' },
    });
  });

  test('hack/spec/cluster-api.md A1.12 L12: conditions of our own stand beside the Node’s, under types that no Node uses', () => {
    const { status } = outcome({ machine: machine(recorded), vm, calls: asked, node: readyNode });
    const types = status?.conditions?.map(({ type }) => type) ?? [];
    expect(types.slice(0, 1)).toEqual(['Ready']);
    expect(types).toEqual(expect.arrayContaining(['VMCreated', 'NodeRegistered', 'NodeHealthy']));
    expect(new Set(types).size).toBe(types.length);
  });

  test('hack/spec/cluster-api.md F4 22: whoever sets no creation time-out gets that of the settings, and a slow machine sets its own', () => {
    const slow = { machine: inPhase('Pending', 0, recorded), vm, calls: asked, now: NOW };
    expect(outcome({ ...slow, limits: { ...view().limits, creation: 30_000 } }).events).toEqual([
      'Warning RegistrationTimedOut',
    ]);
    expect(outcome({ ...slow, limits: { ...view().limits, creation: 90_000 } }).events).toEqual([]);
  });

  test('hack/spec/cluster-api.md F4 23: what keeps a machine from being replaced is told on the machine', () => {
    const { status, events } = outcome({ ...sick, machine: inPhase('Unknown', 0, recorded), hold: behind('other') });
    expect(status?.currentStep).toMatchObject({ name: 'NodeHealthy', reason: 'ReplacementDelayed' });
    expect(status?.conditions?.find(({ type }) => type === 'NodeHealthy')?.message).toContain('"other"');
    expect(events).toEqual(['Warning ReplacementDelayed']);
  });
});
