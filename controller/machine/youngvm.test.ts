import { describe, expect, test } from 'bun:test';
import { ANNOTATION_CONFIRMED } from '../../schemas/keys.ts';
import { at, BORN, machine } from '../../test/fixtures/objects.ts';
import { DriverError } from '../drivers/sdk/errors.ts';
import type { Gate } from '../safety/outage/gate.ts';
import { youngUntil } from './flow/predicates.ts';
import { view } from './flow/view.fixture.ts';
import { type Beside, Life, VM } from './life.fixture.ts';

// hack/decisions/0051 L17, L74

/** A driver that knows of its VM only in some seconds. @param from before the first one, and after the second, it says that there is none */
function lagging({ from = 0, to = Infinity }: { from?: number; to?: number }, now: () => number) {
  let madeAt = Infinity;
  return {
    createMachine: async () => {
      madeAt = now();
      return VM;
    },
    getMachineStatus: async () => {
      const age = (now() - madeAt) / 1_000;
      if (age >= from && age < to) return VM;
      throw new DriverError('NotFound', 'there is no such VM');
    },
  };
}

const life = (known: { from?: number; to?: number }, beside: Beside = {}) => {
  const one: Life = new Life(
    lagging(known, () => one.clock.now()),
    beside,
  );
  return one;
};

describe('a VM of which the cloud does not tell at once (hack/spec/mcm.md 6.4 2: its id is on record)', () => {
  test('is not given up while it is young', async () => {
    const one = life({ from: 500 });
    await one.pass(480);
    expect(one.phases).toEqual(['Pending 1']);
    await one.pass(120);
    await one.register();
    await one.pass(2_400);
    expect(one.phases.map((phase) => phase.split(' ')[0])).toEqual(['Pending', 'Running']);
  });

  test('is asked about once a minute meanwhile', async () => {
    const one = life({ from: Infinity });
    await one.pass(590);
    expect(one.called['getMachineStatus']?.length).toBeLessThan(16);
  });

  test('is given up when it is as old as an orphan must be', async () => {
    const one = life({ from: Infinity });
    await one.pass(1_000);
    const [first, last] = one.phases;
    expect([first, one.phases.length]).toEqual(['Pending 1', 2]);
    expect(Number(last?.replace('Failed ', ''))).toBeWithin(600, 661);
    expect(one.events).toContain('VMNotFound');
  });

  test('is not Available to a process that did not make it, where there is no cluster to join', async () => {
    let isThere = false;
    const getMachineStatus = async () => {
      if (!isThere) throw new DriverError('NotFound', 'there is no such VM');
      return VM;
    };
    const recorded = machine({ spec: { providerID: VM.providerID } });
    const one = new Life({ getMachineStatus }, { hasTarget: false, one: recorded });
    await one.pass(200);
    expect(one.phases).toEqual(['Pending 0']);
    isThere = true;
    await one.pass(70);
    expect(one.phases.map((phase) => phase.split(' ')[0])).toEqual(['Pending', 'Available']);
  });
});

describe('a process that takes over while the cloud does not tell of a VM yet', () => {
  const phasesOf = ({ phases }: Life) => phases.map((phase) => phase.split(' ')[0]);

  // A phase is no Node: without a target cluster a machine is Available seconds after its creation was answered.
  test.each([20, 60, 240])('gives up none after %p s where there is no cluster to join', async (seconds) => {
    const one = life({ from: 300 }, { hasTarget: false });
    await one.pass(seconds);
    await one.takeOver();
    await one.pass(400 - seconds);
    expect(phasesOf(one)).toEqual(['Available']);
    expect(one.called['getMachineStatus']?.length).toBeLessThan(14);
  });

  test('gives up one that does not come when it is as old as an orphan must be', async () => {
    const one = life({ from: Infinity }, { hasTarget: false });
    await one.pass(60);
    await one.takeOver();
    await one.pass(500);
    expect(phasesOf(one)).toEqual(['Available']);
    await one.pass(110);
    expect(phasesOf(one)).toEqual(['Available', 'Failed']);
  });

  test('gives up one whose Node was seen after 10 seconds, be it as young as it may', async () => {
    const one = life({ to: 100 });
    await one.pass(30);
    await one.register();
    await one.pass(75);
    await one.takeOver();
    await one.removeNode();
    await one.pass(20);
    expect(phasesOf(one)).toEqual(['Pending', 'Running', 'Unknown', 'Failed']);
  });
});

test('a VM whose Node has registered was there: it is given up after 10 seconds', async () => {
  const one = life({ to: 100 });
  await one.pass(30);
  await one.register();
  await one.pass(80);
  await one.register({ status: { conditions: [{ type: 'Ready', status: 'False' }] } });
  await one.pass(80);
  expect(one.phases.map((phase) => phase.split(' ')[0])).toEqual(['Pending', 'Running', 'Unknown', 'Failed']);
});

// hack/decisions/0051 L102
describe('how long a VM may not be told of', () => {
  const now = BORN + 120_000;
  const confirmed = (seconds: number) => ({ [ANNOTATION_CONFIRMED]: `uid-m ${at(seconds)} ${VM.providerID}` });
  const youth = (seconds: number, gate: Gate = { judgesFrom: 0 }) => {
    const one = machine({
      metadata: { uid: 'uid-m', annotations: confirmed(seconds) },
      spec: { providerID: VM.providerID },
    });
    const limits = { ...view().limits, vmYouth: 600_000 };
    return (youngUntil(view({ now, machine: one, node: { at: 'none' }, gate, limits })) - BORN) / 1000;
  };

  test.each([
    ['counts from its record', 60, 660],
    ['counts from its record, if clocks differ a little', 140, 740],
    ['counts from the creation of its machine where the record lies ahead: the clock was set back', 31_536_000, 600],
  ])('%s', (_what, recorded, until) => {
    expect(youth(recorded)).toBe(until);
  });

  test('counts from the moment at which the clock was set', () => {
    expect(youth(-3_600, { judgesFrom: 0, steppedAt: now - 20_000 })).toBe(700);
  });
});

// hack/decisions/0051 L119
describe('a Machine that is deleted in the second in which its Node comes', () => {
  const goneAfter = async (one: Life): Promise<number> => {
    const from = one.clock.now();
    while ((await one.left()).machine && one.clock.now() < from + 900_000) await one.pass(1);
    return (one.clock.now() - from) / 1_000;
  };

  test('is gone with its VM, which is no young one: its Node was seen', async () => {
    const one = new Life();
    await one.pass(0.5);
    await one.register();
    await one.remove();
    expect(await goneAfter(one)).toBeLessThan(10);
    expect(await one.left()).toEqual({ machine: false, node: false });
  });
});
