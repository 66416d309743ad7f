import { describe, expect, test } from 'bun:test';
import type { Machine } from '../../../schemas/machine.ts';
import { mergePatch } from '../../../schemas/same.ts';
import { at, BORN } from '../../../test/fixtures/objects.ts';
import { mergePatched } from '../../../test/world/patching.ts';
import { drain as drainView } from '../../drain/flow/view.fixture.ts';
import type { Gate } from '../../safety/outage/gate.ts';
import { statusOf } from '../status/status.ts';
import { busy, cordoned, drainFrom, leaver } from './drain.fixture.ts';
import { deadlineOf } from './drain.ts';
import { plan } from './flow.ts';
import { givenBack, restartedClocks } from './outage.ts';
import { idle, view, vm } from './view.fixture.ts';
import type { MachineView } from './view.ts';

// hack/decisions/0051 L80

describe('a clock of a deletion', () => {
  const clock = { startedAt: 0, deadline: 120, elapsedMs: 0 };

  test.each([
    ['has back what it lost', clock, { now: 100, lostFrom: 40 }, { startedAt: 60, deadline: 180, elapsedMs: 0 }],
    [
      'begins anew where it ran out meanwhile',
      clock,
      { now: 200, lostFrom: 40 },
      { startedAt: 200, deadline: 320, elapsedMs: 40 },
    ],
    [
      'begins anew where nobody knows what it lost',
      clock,
      { now: 50 },
      { startedAt: 50, deadline: 170, elapsedMs: 50 },
    ],
    [
      'has back what it lost alone, once it has run for a few times its setting',
      { ...clock, elapsedMs: 360 },
      { now: 200, lostFrom: 40 },
      { startedAt: 160, deadline: 280, elapsedMs: 360 },
    ],
    [
      'runs on then where nobody knows what it lost',
      { ...clock, elapsedMs: 360 },
      { now: 50 },
      { ...clock, elapsedMs: 360 },
    ],
    [
      'that lies ahead, for the clock was set, begins now at the latest',
      { startedAt: 900, deadline: 1_020, elapsedMs: 360 },
      { now: 50 },
      { startedAt: 50, deadline: 170, elapsedMs: 360 },
    ],
    [
      'begins anew where the wall clock was set since it began',
      clock,
      { now: 100, lostFrom: 90, isSet: true },
      { startedAt: 100, deadline: 220, elapsedMs: 90 },
    ],
    ['lost nothing before it began', clock, { now: 30, lostFrom: -50 }, { startedAt: 30, deadline: 150, elapsedMs: 0 }],
  ])('%s', (_what, before, seen, after) => {
    expect(givenBack(before, seen)).toEqual(after);
  });
});

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** What is seen of a deletion at a moment. */
type Facts = (now: number, machine: Machine) => Partial<MachineView>;

/** Lives through a deletion until it does something for this reason; answers when that was, milliseconds after its birth. */
function livedThrough(
  begun: Machine,
  reason: string,
  { facts, everyMs }: { facts: Facts; everyMs: number },
): number | undefined {
  let machine = begun;
  const write = (status: object) => {
    const before = machine.status ?? {};
    machine = mergePatched(machine, { status: mergePatch(before, { ...before, ...status }) ?? {} }) as Machine;
  };
  for (let now = BORN + MINUTE; now < BORN + 7 * 24 * HOUR; now += everyMs) {
    const calls = { ...idle, askedAt: now };
    const seen = view({ now, machine, vm, calls, node: cordoned, ...facts(now, machine) });
    const restarted = restartedClocks(seen);
    const decision = plan(seen);
    const status = restarted ?? statusOf(seen, decision, at((now - BORN) / 1000));
    if (status) write(status);
    const { outcome } = decision;
    if (restarted || outcome.kind !== 'act') continue;
    if (outcome.reason === reason) return now - BORN;
    if (outcome.action.do === 'recordDeletion')
      write({ deletion: { ...machine.status?.deletion, ...outcome.action.deletion } });
  }
  return undefined;
}

// hack/decisions/0051 L100
test('a drain that five minutes have passed of has its whole time after the clock was set forward by an hour', () => {
  const now = BORN + 65 * MINUTE;
  const { deletion } = drainFrom(60);
  const held = {
    currentStep: { name: 'Drained', reason: 'TargetClusterUnreachable' },
    deletion: { ...deletion, heldSince: at(3_870) },
  };
  const gate: Gate = { judgesFrom: now - 5_000, steppedAt: now - 10_000 };
  const seen = view({ now, machine: leaver({ status: held }), node: cordoned, gate, drain: busy({ now }) });
  expect(restartedClocks(seen)?.deletion?.drain?.deadline).toBe(at(65 * 60 + 7_200));
});

/** A pod whose budget lets it never go, and MachineDrainRules of which nothing is heard now and then. */
test.each([
  ['always heard of', 0, 0],
  ['not heard of for 2 minutes of each 90', 90, 2],
  ['not heard of for 2 minutes of each 5', 5, 2],
  ['not heard of for 5 hours of each 6', 360, 300],
])('a drain of two hours ends within a week, its rules being %s', (_what, ofMinutes, minutes) => {
  const facts: Facts = (now, machine) => {
    const minute = Math.floor((now - BORN) / MINUTE);
    const unknown = minute % (ofMinutes || 1) >= ofMinutes - minutes && minutes > 0;
    const blind = unknown && ({ podsKnown: false, rulesUnknown: true } as const);
    return { drain: busy({ now, deadline: deadlineOf(machine) ?? Infinity, ...blind }) };
  };
  const forcedAt = livedThrough(leaver(), 'DeletePods', { facts, everyMs: MINUTE / 2 });
  expect(forcedAt).toBeGreaterThanOrEqual(2 * HOUR);
});

/** A volume whose driver is gone, `machine-pv-detach-timeout` 2 min; and an API server that is there for a while, and away for one. */
describe.each(['target', 'control'] as const)(
  'a VM goes though a volume never comes off, with a %s API server',
  (away) => {
    test.each([
      ['that is there', 0, 0],
      ['that is there for 200 s, and away for 60 s', 200, 60],
      ['that is there for 100 s, and away for 60 s', 100, 60],
      ['that is there for 20 s, and away for 200 s', 20, 200],
    ])('%s', (_what, upSeconds, awaySeconds) => {
      let judgesFrom = 0;
      const facts: Facts = (now) => {
        const moment = ((now - BORN) / 1000) % (upSeconds + awaySeconds || 1);
        const isAway = upSeconds > 0 && moment >= upSeconds;
        if (upSeconds > 0 && moment < 5) judgesFrom = now;
        const gate: Gate = {
          judgesFrom,
          ...(isAway && { shut: { unreachable: away, since: now - (moment - upSeconds) * 1000 } }),
        };
        return { gate, drain: drainView({ now, attachments: [{ name: 'pv', leaving: false, used: false }] }) };
      };
      const begun = leaver({ status: drainFrom(60, { endedAt: at(60) }) });
      expect(livedThrough(begun, 'DeleteVM', { facts, everyMs: 5_000 })).toBeGreaterThanOrEqual(120_000);
    });
  },
);

// hack/decisions/0051 L90
describe('what is to be written after an outage', () => {
  const NOW = BORN + 3 * HOUR;
  const hours = (count: number) => at(count * 3_600);
  const records = {
    'by force': { startedAt: hours(1), deadline: hours(1) },
    'that ran out unseen': { startedAt: hours(0.5), deadline: hours(2) },
    'that ran out unseen, and had all that is given': {
      startedAt: hours(0.5),
      deadline: hours(2),
      elapsedSeconds: 6 * 3_600,
    },
    'that goes on': { startedAt: hours(2), deadline: hours(4) },
    'that lies ahead, for the clock was set back': { startedAt: hours(7), deadline: hours(9) },
    'by force that lies ahead, for the clock was set back': { startedAt: hours(7), deadline: hours(7) },
    'that has ended, and volumes come off': { startedAt: hours(1), deadline: hours(2), endedAt: hours(1.5) },
  };
  const gates: Record<string, Gate> = {
    'a new leader': { judgesFrom: NOW - 5_000 },
    'a clock that was set': { judgesFrom: NOW - 5_000, steppedAt: NOW - 3_000 },
    'no outage': { judgesFrom: 0 },
  };
  const reasons = ['PodsTerminating', 'TargetClusterUnreachable', 'DrainRulesUnknown'];

  for (const [which, record] of Object.entries(records))
    for (const [when, gate] of Object.entries(gates))
      test.each(reasons)(`is written once, of a drain ${which}, with ${when}, after %s`, (reason) => {
        const deletion = { ...leaver({ status: drainFrom(0) }).status?.deletion, drain: record };
        const held = reason === 'PodsTerminating' ? {} : { heldSince: hours(2.5) };
        const before = {
          currentStep: { name: 'Drained', reason },
          currentStatus: { phase: 'Terminating' as const, lastUpdateTime: hours(1) },
          deletion: { ...deletion, ...held, ...('endedAt' in record && { detachDeadline: hours(1.6) }) },
        };
        const machine = leaver({ status: before });
        const drain = busy({ now: NOW, deadline: Date.parse(record.deadline), podsKnown: true });
        const facts = { now: NOW, vm, calls: { ...idle, askedAt: NOW }, node: cordoned, gate, drain };
        const restarted = restartedClocks(view({ ...facts, machine }));
        const after = mergePatch(before, { ...before, ...restarted }) ?? {};
        const written = mergePatched(machine, { status: after }) as Machine;
        expect(restartedClocks(view({ ...facts, now: NOW + 20, machine: written }))).toBeUndefined();
      });

  test('holds up no drain by force that another leader goes on with', () => {
    const forced = { deadline: at(60) };
    const facts: Facts = (now) => ({
      gate: { judgesFrom: BORN + 2 * MINUTE },
      drain: busy({ now, deadline: BORN + MINUTE }),
    });
    const goesOnAt = livedThrough(leaver({ status: drainFrom(60, forced) }), 'DeletePods', { facts, everyMs: 30_000 });
    expect(goesOnAt).toBeLessThanOrEqual(3 * MINUTE);
  });
});
