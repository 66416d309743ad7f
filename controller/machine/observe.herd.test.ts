import { describe, expect, test } from 'bun:test';
import { at, BORN, inPhase, machineSet } from '../../test/fixtures/objects.ts';
import { ownedBy, ownedIn } from '../model/ownership.ts';
import { plan } from './flow/flow.ts';
import { behind, Permits } from './flow/replacementbudget.ts';
import { idle, recorded, view, vm } from './flow/view.fixture.ts';
import type { MachineView } from './flow/view.ts';
import { type Surroundings, seen } from './observe.fixture.ts';
import { statusOf } from './status/status.ts';

const LATE = BORN + 600_000;
const judge = (facts: Partial<MachineView>) => {
  const seen = view(facts);
  const decision = plan(seen);
  const { phase } = statusOf(seen, decision, at(60))?.currentStatus ?? {};
  return { phase, outcome: decision.outcome };
};

describe('hack/spec/mcm.md Annex B, Meltdown: the herd of a machine that has been Unknown for too long', () => {
  const ofSet = (name: string) => ({
    ownerReferences: [ownedBy(machineSet({ metadata: { name, uid: `uid-${name}` } }), 'MachineSet')],
  });
  const setOf = (name: string, deployment: string) =>
    machineSet({
      metadata: {
        name,
        uid: `uid-${name}`,
        ownerReferences: [ownedBy({ metadata: { name: deployment, uid: `uid-${deployment}` } }, 'MachineDeployment')],
      },
    });
  const sets = [setOf('set', 'pool'), setOf('sibling', 'pool'), setOf('stranger', 'other')];
  const ill = inPhase('Unknown', 0, { ...recorded, metadata: { ...recorded.metadata, ...ofSet('set') } });
  const pending = (set: string) => inPhase('Pending', 0, { metadata: { name: 'x', uid: 'uid-x', ...ofSet(set) } });
  const held = (machine: typeof ill, beside: Surroundings) => seen(machine, { sets, now: LATE, ...beside })?.hold;

  test.each([
    ['another machine of its set that is Pending: refused', ill, [pending('set')], 'x'],
    ['another machine of its deployment that is Pending: refused', ill, [pending('sibling')], 'x'],
    ['a machine in a different deployment that is Pending: may fail', ill, [pending('stranger')], undefined],
    [
      'another machine that is Pending, when its own update in place failed: refused',
      inPhase('InPlaceUpdateFailed', 0, { ...recorded, metadata: { ...recorded.metadata, ...ofSet('set') } }),
      [pending('set')],
      'x',
    ],
    ['no other machine: may fail', ill, [], undefined],
    [
      'a machine of another namespace that names its set, or one of that UID (hack/decisions/0028 T45): may fail',
      ill,
      [inPhase('Pending', 0, { metadata: { name: 'x', uid: 'uid-x', namespace: 'flock', ...ofSet('set') } })],
      undefined,
    ],
    ['a machine that no set controls: may fail', inPhase('Unknown', 0, recorded), [pending('set')], undefined],
    [
      'a machine whose time is not over: nobody looks',
      inPhase('Running', 0, { metadata: ofSet('set') }),
      [pending('set')],
      undefined,
    ],
  ])('%s', (_row, machine, others, holder) =>
    expect(held(machine, { others })).toEqual(holder === undefined ? undefined : behind(holder)),
  );

  test('the permit is held by another machine: refused at once', () => {
    const permits = new Permits();
    permits.take(ownedIn('herd', 'uid-pool'), pending('sibling'), LATE);
    expect(held(ill, { permits })).toEqual(behind('x'));
  });

  test('the permit is held in a herd of another namespace, of whatever UID (hack/decisions/0028 T45): may fail', () => {
    const permits = new Permits();
    permits.take(ownedIn('flock', 'uid-pool'), pending('sibling'), LATE);
    expect(held(ill, { permits })).toBeUndefined();
  });

  test('whose VM the driver denies is judged by its herd and its zone as well, and asked about less often', () => {
    const denied = {
      now: LATE,
      vm: { at: 'absent', since: BORN } as const,
      calls: { ...idle, askedAt: LATE - 30_000 },
    };
    for (const [machine, node] of [
      [ill, { at: 'absent' }],
      [inPhase('Available', 0, recorded), { at: 'none' }],
    ] as const) {
      const facts = { ...denied, machine, node };
      expect(judge({ ...facts, hold: behind('x') })).toMatchObject({
        phase: 'Unknown',
        outcome: {
          kind: 'wait',
          reason: 'ReplacementDelayed',
          message: expect.stringContaining('the driver no longer knows'),
        },
      });
      expect(judge(facts)).toMatchObject({ outcome: { kind: 'fail', reason: 'VMNotFound' } });
    }
  });

  test('refused means tried again after 5 s, and Unknown until then', () => {
    const facts = { now: LATE, vm, calls: { ...idle, askedAt: LATE }, machine: ill };
    expect(judge({ ...facts, hold: behind('x') })).toMatchObject({
      phase: 'Unknown',
      outcome: { kind: 'wait', reason: 'ReplacementDelayed', ms: 5_000 },
    });
    expect(judge(facts)).toMatchObject({ phase: 'Failed', outcome: { reason: 'HealthTimedOut' } });
  });
});
