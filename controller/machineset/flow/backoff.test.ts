import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Machine } from '../../../schemas/machine.ts';
import { at, BORN, inPhase, machineSet } from '../../../test/fixtures/objects.ts';
import { openGate } from '../../safety/outage/gates.fixture.ts';
import { type BackOff, backOffLeft, backOffMessage, backOffOf } from './backoff.ts';

/** A machine that was made and changed its phase so many seconds after the beginning. */
const made = (phase: string, [born, changed]: readonly [number, number], type = 'Create'): Machine =>
  inPhase(phase, changed, { metadata: { creationTimestamp: at(born) }, status: { lastOperation: { type } } as never });

const remembering = (failures: number, seconds: number, generation = 1): BackOff => ({
  failures,
  lastFailureTime: at(seconds),
  generation,
});
const setOf = (creationBackOff?: BackOff) => machineSet(creationBackOff ? { status: { creationBackOff } } : {});

/** Long after all of it. */
const settled = { now: BORN + 100 * 86_400_000, gate: openGate };

describe('a set remembers (hack/decisions/0000 6, hack/spec/cluster-api.md F4 21)', () => {
  const rows: Array<[string, Machine[], BackOff | undefined, BackOff | undefined]> = [
    ['nothing while nothing failed', [made('Running', [0, 10]), made('Pending', [0, 10])], undefined, undefined],
    ['a machine that failed before it ran', [made('Failed', [0, 60])], undefined, remembering(1, 60)],
    ['nothing of one whose health failed', [made('Failed', [0, 60], 'HealthCheck')], undefined, undefined],
    ['many at once as one failure', [made('Failed', [0, 60]), made('Failed', [1, 65])], undefined, remembering(1, 65)],
    [
      'the latest of them, whichever comes first',
      [made('Failed', [1, 65]), made('Failed', [0, 60])],
      undefined,
      remembering(1, 65),
    ],
    ['no more of those that were made before', [made('Failed', [0, 70])], remembering(1, 60), remembering(1, 60)],
    [
      'a machine that was made and failed within a second but once',
      [made('Failed', [60, 60])],
      remembering(1, 60),
      remembering(1, 60),
    ],
    [
      'nothing of one that failed before another was made, and runs',
      [made('Failed', [0, 60]), made('Running', [70, 90])],
      undefined,
      undefined,
    ],
    ['a replacement that failed as well', [made('Failed', [61, 120])], remembering(1, 60), remembering(2, 120)],
    ['each one after that', [made('Failed', [200, 300])], remembering(5, 150), remembering(6, 300)],
    ['it all when its machines are gone', [], remembering(3, 60), remembering(3, 60)],
    [
      'it all while the replacement is made',
      [made('CrashLoopBackOff', [61, 70])],
      remembering(1, 60),
      remembering(1, 60),
    ],
    ['it all while older machines run', [made('Running', [0, 10])], remembering(2, 60), remembering(2, 60)],
    ['nothing once a replacement runs', [made('Running', [61, 90])], remembering(2, 60), undefined],
    ['nothing once one is there that joins no cluster', [made('Available', [61, 90])], remembering(2, 60), undefined],
    [
      'only what failed after one ran',
      [made('Running', [61, 90]), made('Failed', [61, 95])],
      remembering(2, 60),
      remembering(1, 95),
    ],
  ];
  test.each(rows)('%s', (_what, machines, before, after) => {
    expect(backOffOf({ ...settled, set: setOf(before), machines, strays: [] })).toEqual(after);
  });
});

describe('of machines whose labels it no longer selects a set remembers (hack/spec/cluster-api.md F2 11)', () => {
  const running = made('Running', [0, 10]);
  const message = 'the labels of m no longer match the selector';
  test.each([
    ['one that has yet to run', [made('Pending', [70, 75])], remembering(1, 60), { ...remembering(2, 70), message }],
    ['one without a phase', [made('', [70, 70])], undefined, { ...remembering(1, 70), message }],
    ['nothing of one that ran', [made('Running', [70, 75])], undefined, undefined],
    [
      'nothing of one that leaves',
      [{ ...running, metadata: { ...running.metadata, deletionTimestamp: at(9) } }],
      undefined,
      undefined,
    ],
    ['no more of one that was made before', [made('Pending', [60, 75])], remembering(1, 60), remembering(1, 60)],
  ])('%s', (_what, strays, before, after) =>
    expect(backOffOf({ ...settled, set: setOf(before), machines: [running], strays })).toEqual(after as never),
  );
});

test('what is counted is counted: two writes are the most, whatever the machines are', () => {
  const moment = fc.integer({ min: 0, max: 5 });
  const phase = fc.constantFrom('Failed', 'Running', 'Pending', 'Available');
  const some = fc.array(fc.tuple(phase, moment, moment), { maxLength: 5 });
  fc.assert(
    fc.property(some, fc.option(moment, { nil: undefined }), (all, last) => {
      const machines = all.map(([is, born, ms]) => made(is, [born, born + ms]));
      const set = setOf(last === undefined ? undefined : remembering(1, last));
      const once = setOf(backOffOf({ ...settled, set, machines, strays: [] }));
      const twice = backOffOf({ ...settled, set: once, machines, strays: [] });
      expect(backOffOf({ ...settled, set: setOf(twice), machines, strays: [] })).toEqual(twice);
    }),
  );
});

describe('the next machine waits', () => {
  const now = BORN + 60_000;
  test.each([
    ['not at all when nothing failed', undefined, 0],
    ['a second after the first failure', remembering(1, 60), 1_000],
    ['a minute after the second', remembering(2, 60), 60_000],
    ['two after the third', remembering(3, 60), 120_000],
    ['only what is left of it', remembering(3, 30), 90_000],
    ['no longer when that is over', remembering(2, 0), 0],
    ['half an hour at most', remembering(7, 60), 1_800_000],
    ['half an hour at most, ever', remembering(2_000, 60), 1_800_000],
    ['not at all when the set changed since', remembering(5, 60, 0), 0],
    ['not at all for a time that nobody can read', { ...remembering(5, 60), lastFailureTime: '?' }, 0],
  ])('%s', (_what, creationBackOff, ms) =>
    expect(backOffLeft({ set: setOf(creationBackOff), now, gate: openGate })).toBe(ms),
  );

  test('no longer than its time after the clock was set back (hack/decisions/0028 R5)', () => {
    const gate = { judgesFrom: 0, steppedAt: now - 50_000 };
    const ahead = setOf(remembering(2, 3_600));
    expect(backOffLeft({ set: ahead, now, gate })).toBe(10_000);
  });

  // hack/decisions/0051 L108
  describe('as long as ever, whatever clock wrote down that machines failed a day ahead', () => {
    const day = 86_400;
    const gate = { judgesFrom: BORN + 30_000 };

    test('it does not wait for that day', () => {
      expect(backOffLeft({ set: setOf(remembering(2, day)), now, gate })).toBe(30_000);
    });

    test('and remembers what fails since', () => {
      const failed = [made('Failed', [40, 50])];
      const after = backOffOf({ set: setOf(remembering(2, day)), machines: failed, strays: [], now, gate });
      expect(after).toEqual(remembering(3, 50));
      expect(backOffOf({ set: setOf(after), machines: failed, strays: [], now, gate })).toEqual(remembering(3, 50));
    });

    test('a machine that failed a day ahead counts but once', () => {
      const failed = [made('Failed', [0, day])];
      const after = backOffOf({ set: setOf(), machines: failed, strays: [], now, gate });
      expect(after).toEqual(remembering(1, 30));
      expect(backOffOf({ set: setOf(after), machines: failed, strays: [], now, gate })).toEqual(remembering(1, 30));
    });
  });

  test('and says until when', () => {
    expect(backOffMessage({ set: setOf(remembering(1, 60)), now }, 1_000)).toStartWith(
      'a machine failed before it ran: ',
    );
    expect(backOffMessage({ set: setOf(remembering(3, 60)), now }, 120_000)).toBe(
      '3 machines in a row failed before they ran: the next one is made at 2026-01-01T00:03:00Z, or when the set changes',
    );
  });
});

test('a class for which no VM can be made costs ever fewer tries (hack/spec/cluster-api.md F4 21)', () => {
  const timeoutMs = 1_000;
  let set = setOf();
  let now = BORN;
  let tries = 0;
  while (now < BORN + 86_400_000) {
    tries += 1;
    const failed = made('Failed', [(now - BORN) / 1000, (now + timeoutMs - BORN) / 1000]);
    set = setOf(backOffOf({ ...settled, set, machines: [failed], strays: [] }));
    now += timeoutMs + backOffLeft({ set, now: now + timeoutMs, gate: openGate });
  }
  expect(tries).toBeWithin(48, 60);
});
