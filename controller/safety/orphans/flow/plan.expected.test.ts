import { describe, expect, test } from 'bun:test';
import { ANNOTATION_VM_EXPECTED } from '../../../../schemas/keys.ts';
import { BORN, machineClass } from '../../../../test/fixtures/objects.ts';
import { DriverError } from '../../../drivers/sdk/errors.ts';
import { classWritesIn } from '../../../machine/classwrites.fixture.ts';
import { vmExpectedUntil } from '../../../model/expectedvm.ts';
import { timestamp } from '../../../runtime/k8s/timestamp.ts';
import { bench, LOST, MINUTE } from '../vmsweep.fixture.ts';

// hack/decisions/0051 L81

/** Sweeps of a class of which a VM may come until ten minutes from now. */
function expecting() {
  const { parts, ...made } = bench();
  const annotations = { [ANNOTATION_VM_EXPECTED]: timestamp(BORN + 10 * MINUTE) };
  parts.classes.reset([machineClass({ metadata: { annotations } })], '1');
  parts.classWrites = { ...classWritesIn(parts.classes) };
  const sweep = async () => (await made.sweeper.sweep('herd/small')).after;
  const isExpected = () => vmExpectedUntil(parts.classes.get('herd/small') ?? machineClass()) !== undefined;
  return { ...made, sweep, isExpected };
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
