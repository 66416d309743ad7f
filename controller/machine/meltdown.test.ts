import { describe, expect, test } from 'bun:test';
import { ZoneOverTime } from './flow/zone.fixture.ts';

const upTo = (count: number, from = 0) => Array.from({ length: count }, (_, at) => from + at);
const MINUTE = 60;

describe('hack/decisions/0000 7, Meltdown; hack/spec/mcm.md 13.1: a zone of 30 machines', () => {
  test('that goes NotReady at once loses none, and says why', async () => {
    const zone = new ZoneOverTime({ size: 30 });
    zone.nodes(upTo(30), false);
    await zone.pass(15 * MINUTE);
    expect(zone.givenUp).toEqual([]);
    expect(zone.reasons).toEqual(['ZoneOutage']);
  });

  test('of which 3 go NotReady has them replaced one by one', async () => {
    const zone = new ZoneOverTime({ size: 30 });
    zone.nodes(upTo(3), false);
    await zone.pass(15 * MINUTE);
    const times = zone.givenUp.map(({ at }) => at);
    expect(zone.givenUp.map(({ number }) => number).sort()).toEqual([0, 1, 2]);
    expect(times[0]).toBe(10 * MINUTE + 30);
    for (const [index, at] of times.slice(1).entries()) expect(at - (times[index] ?? 0)).toBeGreaterThanOrEqual(60);
  });

  test('of many deployments loses as many at once as the budget allows', async () => {
    const zone = new ZoneOverTime({ size: 30, deploymentOf: (number) => `pool${number}` });
    zone.nodes(upTo(12), false);
    await zone.pass(10 * MINUTE + 30);
    expect(zone.givenUp).toHaveLength(3);
    await zone.pass(15 * MINUTE);
    expect(zone.givenUp).toHaveLength(12);
    expect(mostWithin(zone.givenUp, 60)).toBe(3);
  });

  // hack/decisions/0028 O19
  test('that a backup brought keeps to its budget while the cloud is away', async () => {
    const zone = new ZoneOverTime({ size: 30, deploymentOf: (number) => `pool${number}`, restored: true });
    zone.vms(() => 'unknown');
    zone.nodes(upTo(12), false);
    await zone.pass(25 * MINUTE);
    expect(zone.givenUp).toHaveLength(12);
    expect(mostWithin(zone.givenUp, 60)).toBe(3);
  });

  test('that comes back has two minutes for the rest of its machines, of which then one goes at a time', async () => {
    const zone = new ZoneOverTime({ size: 30 });
    zone.nodes(upTo(30), false);
    await zone.pass(15 * MINUTE);
    zone.nodes(upTo(20), true);
    await zone.pass(1 * MINUTE);
    expect(zone.reasons).toEqual(['Reconciled', 'ZoneRecovering']);
    zone.nodes(upTo(8, 20), true);
    await zone.pass(30);
    expect(zone.givenUp).toEqual([]);
    await zone.pass(10 * MINUTE);
    expect(zone.givenUp.map(({ number }) => number).sort()).toEqual([28, 29]);
    expect(mostWithin(zone.givenUp, 60)).toBe(1);
  });

  test('is no matter to another one of the same cluster', async () => {
    const zone = new ZoneOverTime({
      size: 30,
      zoneOf: (number) => (number < 10 ? 'a' : 'b'),
      deploymentOf: (number) => (number < 10 ? 'a' : 'b'),
    });
    zone.nodes(upTo(10), false);
    zone.nodes([20], false);
    await zone.pass(15 * MINUTE);
    expect(zone.givenUp.map(({ number }) => number)).toEqual([20]);
    expect(zone.reasons).toEqual(['Reconciled', 'ZoneOutage']);
  });

  // hack/decisions/0051 L96
  test('that is out stays so when Nodes of it are deleted meanwhile: machines are counted where their Nodes were', async () => {
    const zone = new ZoneOverTime({ size: 25, zoneOf: (number) => (number < 10 ? 'a' : 'b') });
    zone.nodes(upTo(6), false);
    await zone.pass(2 * MINUTE);
    zone.withoutNodes([0, 1]);
    await zone.pass(30 * MINUTE);
    expect(zone.givenUp).toEqual([]);
    expect(zone.reasons).toEqual(['Reconciled', 'ZoneOutage']);
  });

  test('is one of many that are out together: then none of their machines goes, however small the zones', async () => {
    const zone = new ZoneOverTime({
      size: 12,
      zoneOf: (number) => `z${number % 6}`,
      deploymentOf: (number) => `d${number}`,
    });
    zone.nodes(upTo(9), false);
    await zone.pass(15 * MINUTE);
    expect(zone.givenUp).toEqual([]);
    expect(zone.reasons).toEqual(['ClusterOutage', 'Reconciled']);
  });

  test('is told of in the log when its outage begins and when it is over', async () => {
    const zone = new ZoneOverTime({ size: 30, zoneOf: (number) => (number < 10 ? 'a' : 'b') });
    zone.nodes(upTo(10), false);
    await zone.pass(3 * MINUTE);
    zone.nodes(upTo(10), true);
    await zone.pass(MINUTE);
    expect(isStopped(zone)).toBe(true);
    await zone.pass(2 * MINUTE);
    expect(isStopped(zone)).toBe(false);
    expect(zone.log.lines.map(({ level, message, fields }) => [level, message, fields['zone']])).toEqual([
      ['warn', 'too many machines are unhealthy: none is replaced for being unhealthy', 'a'],
      ['info', 'unhealthy machines are replaced again', 'a'],
    ]);
  });
});

// hack/decisions/0028 T3, hack/decisions/0044
describe('namespaces that share a zone', () => {
  test('of whom one is all ill: others go on, and what they lose is replaced', async () => {
    const tenant = (number: number) => number < 12;
    const zone = new ZoneOverTime({
      size: 24,
      namespaceOf: (number) => (tenant(number) ? 'tenant' : 'victim'),
      deploymentOf: (number) => (tenant(number) ? 'theirs' : `own${number}`),
    });
    zone.nodes([...upTo(12), 20, 23], false);
    await zone.pass(45 * MINUTE);
    const lost = new Set(zone.givenUp.map(({ number }) => number));
    expect([...lost].sort()).toEqual([20, 23]);
    expect(zone.reasons).toEqual(['Reconciled', 'ZoneOutage']);
  });

  test('in an outage that all are in lose none, not even one that has a single machine; after it each goes on', async () => {
    const namespaceOf = (number: number) => (number < 12 ? 'many' : number < 24 ? 'more' : 'single');
    const zone = new ZoneOverTime({ size: 25, namespaceOf, deploymentOf: namespaceOf });
    zone.nodes(upTo(25), false);
    await zone.pass(60 * MINUTE);
    expect([zone.givenUp, zone.reasons]).toEqual([[], ['ZoneOutage']]);
    zone.nodes(upTo(24), true);
    await zone.pass(1 * MINUTE);
    expect([zone.givenUp, zone.reasons]).toEqual([[], ['Reconciled', 'ZoneRecovering']]);
    await zone.pass(3 * MINUTE);
    expect(new Set(zone.givenUp.map(({ number }) => number))).toEqual(new Set([24]));
  });
});

describe('hack/spec/mcm.md 13.1: a provider that denies all VMs', () => {
  test('is not believed while their Nodes are Ready', async () => {
    const zone = new ZoneOverTime({ size: 30 });
    zone.vms(() => 'absent');
    await zone.pass(15 * MINUTE);
    expect(zone.givenUp).toEqual([]);
  });

  test('costs no more than the budget, even if their Nodes are gone as well', async () => {
    const zone = new ZoneOverTime({ size: 30, deploymentOf: (number) => `pool${number % 10}` });
    zone.nodes(upTo(30), false);
    await zone.pass(1 * MINUTE);
    zone.vms(() => 'absent');
    await zone.pass(15 * MINUTE);
    expect(zone.givenUp).toEqual([]);
    expect(zone.reasons).toEqual(['ZoneOutage']);
  });
});

describe('a Node that flaps for an hour', () => {
  test.each([
    ['faster than the health time-out: never replaced', 5, 0],
    ['more slowly: once in each time-out, and its successor after it', 15, 3],
  ])('%s', async (_what, minutes, replacements) => {
    const zone = new ZoneOverTime({ size: 10 });
    for (let passed = 0; passed + minutes * 1.25 <= 60; passed += minutes * 1.25) {
      zone.nodes([0], false);
      await zone.pass(minutes * MINUTE);
      zone.nodes([0], true);
      await zone.pass((minutes * MINUTE) / 4);
    }
    expect(zone.givenUp).toHaveLength(replacements);
    expect(mostWithin(zone.givenUp, 10 * MINUTE)).toBe(Math.min(1, replacements));
  });
});

const isStopped = ({ census }: ZoneOverTime): boolean => [...census.areas()].some(({ isOut }) => isOut);

/** The most that were given up within less than so many seconds. */
function mostWithin(givenUp: ReadonlyArray<{ at: number }>, seconds: number): number {
  return Math.max(
    0,
    ...givenUp.map(({ at }) => givenUp.filter((other) => other.at >= at && other.at < at + seconds).length),
  );
}
