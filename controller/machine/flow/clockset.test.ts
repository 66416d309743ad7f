import { describe, expect, test } from 'bun:test';
import type { Machine } from '../../../schemas/machine.ts';
import { BORN, inPhase, machine, node } from '../../../test/fixtures/objects.ts';
import { lostAt } from '../../drain/flow/plan.ts';
import { timestamp } from '../../runtime/k8s/object.ts';
import { creationLeft } from './drivercall.ts';
import { healthLeft } from './health.ts';
import { pollAfter } from './launch.ts';
import { clocksFrom, heldUntil, restartedClocks } from './outage.ts';
import { readyNode, view } from './view.fixture.ts';

/** hack/decisions/0028 R5: how the clocks of a Machine stand after the wall clock was set. */
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** A moment, by the clock as it was before it was set. */
const BEFORE = BORN + 30 * MINUTE_MS;
const LIMITS = view().limits;

/** A minute after the clock was set by so much: the gate is open again, and clocks count from then. */
const set = (byMs: number) => {
  const steppedAt = BEFORE + byMs;
  return { now: steppedAt + MINUTE_MS, gate: { judgesFrom: steppedAt + 1_000, steppedAt } };
};

const draining = (startedAt: number, more: object = {}): Machine =>
  machine({
    metadata: { deletionTimestamp: timestamp(startedAt) },
    status: {
      deletion: {
        startedAt: timestamp(startedAt),
        drain: { startedAt: timestamp(startedAt), deadline: timestamp(startedAt + 2 * HOUR_MS) },
        ...more,
      },
    },
  } as never);

describe.each([
  ['forward', HOUR_MS],
  ['back', -HOUR_MS],
])('the clock was set %s by an hour:', (_, byMs) => {
  test('a machine that was unhealthy for a minute has its whole time to recover', () => {
    const facts = set(byMs);
    const ill = inPhase('Unknown', (BEFORE - BORN) / 1000 - 60);
    const restarted = restartedClocks(view({ ...facts, machine: ill }));
    const now = restarted ? { ...ill, status: { ...ill.status, ...restarted } } : ill;
    const left = healthLeft({ ...view({ ...facts, machine: now as Machine }) });
    expect(left).toBeWithin(LIMITS.health - MINUTE_MS, LIMITS.health + 1);
  });

  test('a machine that is being made, and that we saw made, has its whole time', () => {
    const facts = set(byMs);
    const left = creationLeft(view({ ...facts, bornAt: facts.now - 2 * MINUTE_MS }));
    expect(left).toBeWithin(LIMITS.creation - MINUTE_MS, LIMITS.creation + 1);
  });

  test('a drain has its whole time again, once', () => {
    const facts = set(byMs);
    const first = restartedClocks(view({ ...facts, machine: draining(BEFORE - 10 * MINUTE_MS) }));
    expect(first?.deletion?.drain).toMatchObject({
      startedAt: timestamp(facts.now),
      deadline: timestamp(facts.now + 2 * HOUR_MS),
    });
    const again = { ...draining(BEFORE - 10 * MINUTE_MS), status: first } as Machine;
    expect(restartedClocks(view({ ...facts, machine: again, now: facts.now + MINUTE_MS }))).toBeUndefined();
  });

  test('a Node that was not ready for a minute does not count as lost', () => {
    const { now, gate } = set(byMs);
    const conditions = [{ type: 'Ready', status: 'False', lastTransitionTime: timestamp(BEFORE - MINUTE_MS) }];
    expect(lostAt(conditions, heldUntil({ gate, machine: machine() }))).toBeGreaterThanOrEqual(now + 3 * MINUTE_MS);
    expect(clocksFrom({ gate, machine: machine() })).toBe(gate.judgesFrom);
  });

  test('a healthy machine is left alone', () => {
    const facts = set(Math.abs(byMs));
    const well = view({ ...facts, machine: inPhase('Running', 60), node: readyNode });
    expect(restartedClocks(well)).toBeUndefined();
  });
});

test('volumes that are being detached when the clock is set have their whole time again, once', () => {
  const facts = set(HOUR_MS);
  const drain = {
    startedAt: timestamp(BEFORE - 20 * MINUTE_MS),
    deadline: timestamp(BEFORE),
    endedAt: timestamp(BEFORE),
  };
  const leaving = draining(BEFORE, { drain, detachDeadline: timestamp(BEFORE + MINUTE_MS) });
  const limits = { timeoutMs: 2 * HOUR_MS, detachMs: 2 * MINUTE_MS, reattachMs: MINUTE_MS, refusedMs: Infinity };
  const restarted = restartedClocks(view({ ...facts, machine: leaving, drain: { limits } as never }));
  expect(restarted?.deletion?.detachDeadline).toBe(timestamp(facts.now + limits.detachMs));
  const again = { ...leaving, status: restarted } as Machine;
  expect(restartedClocks(view({ ...facts, machine: again }))).toBeUndefined();
});

// hack/decisions/0051 L29
describe('volumes that are being detached, of a Node that nobody had to drain, when the clock is set', () => {
  const limits = { timeoutMs: 2 * HOUR_MS, detachMs: 2 * MINUTE_MS, reattachMs: MINUTE_MS, refusedMs: Infinity };
  const drain = { limits } as never;
  const detaching = draining(BEFORE, { drain: undefined, detachDeadline: timestamp(BEFORE + MINUTE_MS) });

  test.each([
    ['forward', set(HOUR_MS)],
    ['back', set(-HOUR_MS)],
    ['back before this process began', { ...set(-HOUR_MS), gate: { judgesFrom: BEFORE - HOUR_MS } }],
  ])('%s, have their whole time again, once', (_, facts) => {
    const restarted = restartedClocks(view({ ...facts, machine: detaching, drain }));
    expect(restarted?.deletion?.detachDeadline).toBe(timestamp(facts.now + limits.detachMs));
    const again = { ...detaching, status: restarted } as Machine;
    expect(restartedClocks(view({ ...facts, machine: again, drain }))).toBeUndefined();
  });
});

describe('a process that starts after the clock was set back finds times that lie ahead:', () => {
  test.each<[what: string, machine: Machine, restarts: boolean]>([
    ['a phase', inPhase('Running', 3_600), true],
    ['the end of an outage', machine({ status: { clocksFrom: timestamp(BORN + HOUR_MS) } } as never), true],
    ['a drain', draining(BORN + HOUR_MS), true],
    ['a phase by a little, for clocks differ', inPhase('Running', 80), false],
  ])('%s', (_, found, restarts) => {
    const restarted = restartedClocks(view({ machine: found, node: { ...readyNode, object: node() } }));
    expect(restarted !== undefined).toBe(restarts);
    const after = { ...found, status: { ...found.status, ...restarted } } as Machine;
    expect(restartedClocks(view({ machine: after }))).toBeUndefined();
  });
});

test.each([
  ['before the driver last said how the VM is: that holds for a minute', -MINUTE_MS, MINUTE_MS],
  ['since then: it is asked at once', 1, 500],
  [
    'by a clock that is an hour ahead of ours: then our own word counts, and it is not asked all the time',
    HOUR_MS,
    MINUTE_MS,
  ],
])('the Node became ill %s', (_, changedMs, ms) => {
  const { now } = view();
  const node = { ...readyNode, ready: false, changedAt: now + changedMs };
  const calls = { ...view().calls, askedAt: now };
  expect(pollAfter(view({ machine: inPhase('Unknown', 30), node, calls, now: now + 1 }))).toBe(ms);
});
