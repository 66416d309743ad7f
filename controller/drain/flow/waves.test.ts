import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { planDrain } from './plan.ts';
import { reportOf } from './report.ts';
import { drain, heavy, NOW, pod } from './view.fixture.ts';
import type { DrainOutcome, PodFact } from './view.ts';

const asked = (outcome: DrainOutcome) =>
  outcome.kind === 'act' && outcome.action.do === 'evictPods' ? outcome.action.pods.map(({ name }) => name) : outcome;
const by = 'MachineDrainRule batch';
const LATER: Partial<PodFact> = { order: 5, by: 'MachineDrainRule last' };
const leaving: Partial<PodFact> = { endsAt: NOW + 30_000 };
const completing: Partial<PodFact> = { completing: true, by };

describe('pods of a higher order', () => {
  test('wait until those of lower ones are asked', () => {
    expect(asked(planDrain(drain({ pods: [pod('b', LATER), pod('a'), pod('first', { order: -1 })] })))).toEqual([
      'first',
    ]);
  });

  test('wait until those are gone, and the drain says so', () => {
    const outcome = planDrain(drain({ pods: [pod('a', leaving), pod('b', LATER)] }));
    expect(outcome).toMatchObject({
      kind: 'wait',
      reason: 'PodsTerminating',
      message: 'pods of order 0 leave, then 1 of a higher order',
    });
  });

  test('wait behind one that may not leave, and the drain says who that is', () => {
    const answer = { result: 'Refused', reason: 'budget "b"' } as const;
    const pods = [pod('a', { answer, retryAt: NOW + 20_000 }), pod('b', LATER)];
    expect(planDrain(drain({ pods }))).toMatchObject({ reason: 'EvictionBlocked', message: 'shop/a: budget "b"' });
  });

  test('go once they are', () => {
    expect(asked(planDrain(drain({ pods: [pod('b', LATER)] })))).toEqual(['b']);
  });

  test('wait with their volumes as well', () => {
    const pods = [heavy('a', { ...LATER, priority: 9 }), heavy('b')];
    expect(asked(planDrain(drain({ pods })))).toEqual(['b']);
  });

  test('wait for pods that are to complete', () => {
    expect(planDrain(drain({ pods: [pod('job', completing), pod('b', LATER)] }))).toMatchObject({
      kind: 'wait',
      reason: 'PodsCompleting',
      message: `shop/job is to complete, by ${by}, then 1 of a higher order`,
    });
  });

  test('are deleted with all others when time is over', () => {
    const pods = [pod('a'), pod('b', LATER), pod('job', completing)];
    const outcome = planDrain(drain({ pods, deadline: NOW }));
    expect(outcome).toMatchObject({
      reason: 'DeletePods',
      action: { pods: [{ name: 'a' }, { name: 'b' }, { name: 'job' }] },
    });
  });
});

describe('a pod that is to complete', () => {
  test('holds up no other of its order, and is not asked', () => {
    expect(asked(planDrain(drain({ pods: [pod('job', completing), pod('a')] })))).toEqual(['a']);
  });

  test('is waited for as any other once somebody has deleted it', () => {
    const pods = [pod('job', { ...completing, ...leaving })];
    expect(planDrain(drain({ pods }))).toMatchObject({ reason: 'PodsTerminating' });
  });
});

describe('while it is not known which pods may leave', () => {
  test('labels are looked up first', () => {
    const labelsDue = { pods: true, namespaces: ['shop'] };
    expect(planDrain(drain({ pods: [pod('a')], labelsDue, undecided: 'why' }))).toMatchObject({
      reason: 'GetLabels',
      action: { do: 'lookUpLabels', labels: labelsDue },
    });
  });

  test('none is asked before they are there', () => {
    const outcome = planDrain(drain({ pods: [pod('a')], labelsPending: true }));
    expect(outcome).toMatchObject({ kind: 'wait', reason: 'GetLabels' });
  });

  test('none is asked', () => {
    const outcome = planDrain(drain({ pods: [pod('a')], undecided: 'why' }));
    expect(outcome).toMatchObject({ kind: 'wait', reason: 'DrainRulesUndecided', message: 'why' });
  });

  test('one of which that is being looked up is not deleted by force', () => {
    const outcome = planDrain(drain({ pods: [pod('a', { undecided: true }), pod('b')], deadline: NOW }));
    expect(outcome).toMatchObject({ reason: 'DeletePods', action: { pods: [{ name: 'b' }] } });
  });

  test('nothing at all is done before the rules could be listed', () => {
    const outcome = planDrain(drain({ podsKnown: false, rulesUnknown: true, deadline: NOW }));
    expect(outcome).toMatchObject({ kind: 'wait', reason: 'DrainRulesUnknown' });
  });
});

test('the status tells who waits, and by whom, and last those that are let be', () => {
  const pods = [pod('a', leaving), pod('b', LATER), pod('job', completing)];
  expect(reportOf(drain({ pods, skipped: [{ name: 'shop/log', by: 'MachineDrainRule logs' }] }))).toEqual([
    { name: 'shop/a', result: 'Leaving' },
    {
      name: 'shop/b',
      result: 'Waiting',
      reason: 'is of order 5 by MachineDrainRule last: those of order 0 leave first',
    },
    { name: 'shop/job', result: 'Waiting', reason: `is to complete, by ${by}` },
    { name: 'shop/log', result: 'Skipped', reason: 'by MachineDrainRule logs' },
  ]);
});

const anyPod: fc.Arbitrary<Partial<PodFact>> = fc.record(
  {
    order: fc.integer({ min: -2, max: 2 }),
    completing: fc.constant(true as const),
    serial: fc.boolean(),
    priority: fc.integer({ min: 0, max: 3 }),
    endsAt: fc.constantFrom(NOW - 1, NOW + 30_000),
    inFlight: fc.constantFrom('eviction' as const, 'deletion' as const),
    retryAt: fc.constantFrom(NOW - 1, NOW + 5_000),
  },
  { requiredKeys: [] },
);
const anyPods = fc.array(anyPod, { maxLength: 6 }).map((pods) => pods.map((changes, at) => pod(`p${at}`, changes)));

describe('whatever runs on the Node', () => {
  test('nobody is asked who is to complete, or before those of a lower order are gone', () => {
    fc.assert(
      fc.property(anyPods, (pods) => {
        const outcome = planDrain(drain({ pods }));
        if (outcome.kind !== 'act' || outcome.action.do !== 'evictPods') return;
        const lowest = Math.min(...pods.map(({ order = 0 }) => order));
        for (const { order = 0, completing: waits, endsAt } of outcome.action.pods)
          expect([order, waits && endsAt === undefined]).toEqual([lowest, waits && false]);
      }),
    );
  });

  test('an order that all have in common changes nothing', () => {
    const decided = (outcome: DrainOutcome) =>
      outcome.kind === 'act'
        ? [
            outcome.reason,
            asked(outcome as never) && 'pods' in outcome.action && outcome.action.pods.map(({ name }) => name),
          ]
        : outcome;
    fc.assert(
      fc.property(anyPods, fc.integer({ min: -9, max: 9 }), (pods, order) => {
        const plain = pods.map(({ order: _order, completing: _completing, ...rest }) => rest);
        const same = plain.map((one) => ({ ...one, order }));
        expect(decided(planDrain(drain({ pods: same })))).toEqual(decided(planDrain(drain({ pods: plain }))));
      }),
    );
  });
});
