import { expect, test } from 'bun:test';
import { BORN, inPhase } from '../../../test/fixtures/objects.ts';
import { FakeClock } from '../../runtime/clock.fake.ts';
import { FakeLog } from '../../runtime/log.fake.ts';
import { Census } from './census.ts';

/** So many machines of a cluster, of which the first are Unknown. */
const herdOf = (cluster: string, { ill, well }: { ill: number; well: number }) =>
  Array.from({ length: ill + well }, (_, number) => {
    const name = `${cluster}-${number}`;
    return inPhase(number < ill ? 'Unknown' : 'Running', 0, { metadata: { name, uid: name, labels: { cluster } } });
  });

function censusOf(machines: ReturnType<typeof herdOf>) {
  const clock = new FakeClock(BORN);
  let lists = 0;
  const list = () => {
    lists += 1;
    return [...machines];
  };
  const census = new Census({
    machines: { list },
    placeOf: ({ metadata: { labels } }) => ({ cluster: labels?.['cluster'] ?? '', zone: labels?.['zone'] ?? 'a' }),
    limits: { outagePercent: 55, budget: { percent: 10 } },
    clock,
    log: new FakeLog(),
  });
  const reasonFor = (name: string) => {
    const one = machines.find(({ metadata }) => metadata.name === name);
    return one && census.holdFor(one)?.reason;
  };
  return { census, clock, reasonFor, lists: () => lists };
}

test('zones of one name in two clusters are two zones', () => {
  const machines = [...herdOf('east', { ill: 9, well: 1 }), ...herdOf('west', { ill: 2, well: 8 })];
  const { reasonFor } = censusOf(machines);
  expect([reasonFor('east-0'), reasonFor('west-0')]).toEqual(['ZoneOutage', undefined]);
});

test('a machine of which nobody says the zone may be in one that is out', () => {
  const lost = inPhase('Unknown', 0, {
    metadata: { name: 'lost', uid: 'lost', labels: { cluster: 'east', zone: '' } },
  });
  const well = herdOf('east', { ill: 0, well: 20 }).map(({ metadata, ...rest }) => ({
    ...rest,
    metadata: { ...metadata, uid: `b-${metadata.uid}`, labels: { cluster: 'east', zone: 'b' } },
  }));
  expect(censusOf([...herdOf('east', { ill: 9, well: 1 }), ...well, lost]).reasonFor('lost')).toBe('ZoneOutage');
  expect(censusOf([...herdOf('east', { ill: 2, well: 8 }), ...well, lost]).reasonFor('lost')).toBeUndefined();
});

test('machines that are given up count at once, each of them once, and for as long as caches may not show it', async () => {
  const machines = herdOf('east', { ill: 3, well: 17 });
  const { census, clock, reasonFor } = censusOf(machines);
  const [first, second] = machines;
  if (!first || !second) throw new Error('the herd has twenty machines');
  census.givenUp(first);
  census.givenUp(first);
  expect(reasonFor('east-2')).toBeUndefined();
  census.givenUp(second);
  expect(reasonFor('east-2')).toBe('ZoneBudgetSpent');
  // The write of one may have failed: it is not in its own way.
  expect(reasonFor('east-1')).toBeUndefined();
  await clock.advance(9_000);
  expect(reasonFor('east-2')).toBe('ZoneBudgetSpent');
  await clock.advance(3_000);
  expect(reasonFor('east-2')).toBeUndefined();
});

test('however many ask, machines are counted once in two seconds', async () => {
  const { clock, reasonFor, lists } = censusOf(herdOf('east', { ill: 50, well: 0 }));
  for (let asked = 0; asked < 50; asked++) reasonFor(`east-${asked}`);
  expect(lists()).toBe(1);
  await clock.advance(2_000);
  reasonFor('east-0');
  expect(lists()).toBe(2);
});
