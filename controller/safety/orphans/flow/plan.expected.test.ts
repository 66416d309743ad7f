import { describe, expect, test } from 'bun:test';
import { BORN, machineClass } from '../../../../test/fixtures/objects.ts';
import { DriverError } from '../../../drivers/sdk/errors.ts';
import { classWritesIn } from '../../../machine/classwrites.fixture.ts';
import { vmExpectedUntil } from '../../../model/expectedvm.ts';
import { timestamp } from '../../../runtime/k8s/object.ts';
import { bench, LOST, MINUTE } from '../vmsweep.fixture.ts';

// hack/decisions/0051 L81
// Where the note is: hack/decisions/0051 U37

/** Sweeps of a class of which a VM may come until ten minutes from now. */
function expecting() {
  const { parts, ...made } = bench();
  const status = { vmExpectedUntil: timestamp(BORN + 10 * MINUTE) };
  parts.classes.reset([machineClass({ status })], '1');
  parts.classWrites = { ...classWritesIn(parts.classes) };
  const sweep = async () => (await made.sweeper.sweep('herd/small')).after;
  const isExpected = () => vmExpectedUntil(parts.classes.get('herd/small') ?? machineClass()) !== undefined;
  return { ...made, parts, sweep, isExpected };
}

describe('a VM of a machine that has gone is expected', () => {
  test('until a list shows none that is asked for after its time and the grace period; the next sweep comes then', async () => {
    const { sweep, isExpected, clock, world } = expecting();
    world.vms = [];
    await clock.advance(9 * MINUTE);
    expect([await sweep(), isExpected()]).toEqual([11 * MINUTE, true]);
    await clock.advance(11 * MINUTE);
    await sweep();
    expect(isExpected()).toBe(false);
  });

  test('as long as lists fail', async () => {
    const { sweep, isExpected, clock, world } = expecting();
    world.list = () => Promise.reject(new DriverError('Unavailable', 'no answer'));
    await clock.advance(60 * MINUTE);
    await sweep();
    expect(isExpected()).toBe(true);
  });

  test('no longer where the driver says that it lists none', async () => {
    const { sweep, isExpected, world } = expecting();
    world.list = () => Promise.reject(new DriverError('Unimplemented', 'no'));
    await sweep();
    expect(isExpected()).toBe(false);
  });

  test('until the one that has come is deleted', async () => {
    const { sweep, isExpected, clock, world } = expecting();
    await clock.advance(30 * MINUTE);
    world.vms = [LOST];
    expect([await sweep(), isExpected(), world.asked.length]).toEqual([MINUTE, true, 0]);
    await clock.advance(MINUTE);
    await sweep();
    await clock.advance(MINUTE);
    expect([isExpected(), world.asked.length]).toEqual([true, 1]);
    world.vms = [];
    await sweep();
    expect(isExpected()).toBe(false);
  });
});

// hack/decisions/0051 L102
describe('a clock that was set', () => {
  test('back: a note that lies further ahead than any may is dated anew, so that the class goes', async () => {
    const { parts, sweep, isExpected, clock, world } = expecting();
    world.vms = [];
    const status = { vmExpectedUntil: timestamp(BORN + 365 * 24 * 60 * MINUTE) };
    parts.classes.reset([machineClass({ status })], '1');
    await sweep();
    expect(isExpected()).toBe(true);
    await clock.advance(21 * MINUTE);
    await sweep();
    expect(isExpected()).toBe(false);
  });

  test('forward: a VM may still come for the grace period from then on', async () => {
    const { parts, sweep, isExpected, clock, world } = expecting();
    world.vms = [];
    await clock.advance(60 * MINUTE);
    parts.gates = { of: () => ({ judgesFrom: 0, steppedAt: BORN + 58 * MINUTE }) };
    await sweep();
    expect(isExpected()).toBe(true);
    await clock.advance(8 * MINUTE);
    await sweep();
    expect(isExpected()).toBe(false);
  });
});

// hack/decisions/0051 L103
describe('a class of which a list shows no VM is held no longer', () => {
  test.each([
    ['target', false],
    ['control', true],
  ] as const)('while the API server of the %s cluster is away: %p', async (away, isHeld) => {
    const { parts, sweep, isExpected, clock, world } = expecting();
    world.vms = [];
    await clock.advance(30 * MINUTE);
    parts.gates = { of: () => ({ judgesFrom: 0, shut: { unreachable: away, since: BORN } }) };
    await sweep();
    expect(isExpected()).toBe(isHeld);
  });

  test('but where it shows one that is held for that', async () => {
    const { parts, sweep, isExpected, clock } = expecting();
    await clock.advance(30 * MINUTE);
    parts.gates = { of: () => ({ judgesFrom: 0, shut: { unreachable: 'target', since: BORN } }) };
    for (const _ of [1, 2, 3]) {
      await sweep();
      await clock.advance(MINUTE);
    }
    expect(isExpected()).toBe(true);
  });
});
