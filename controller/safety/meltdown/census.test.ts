import { describe, expect, test } from 'bun:test';
import { ANNOTATION_CONFIRMED } from '../../../schemas/keys.ts';
import { BORN, inPhase } from '../../../test/fixtures/objects.ts';
import { FakeClock } from '../../runtime/clock.fake.ts';
import { FakeLog } from '../../runtime/observability/log.fake.ts';
import { Census } from './census.ts';

const OWNER = { apiVersion: 'machine.sapcloud.io/v1alpha1', kind: 'MachineSet', name: 's', uid: 's', controller: true };

/** So many machines of a cluster, of which the first are Unknown. */
const herdOf = (cluster: string, { unhealthy, healthy }: { unhealthy: number; healthy: number }) =>
  Array.from({ length: unhealthy + healthy }, (_, number) => {
    const name = `${cluster}-${number}`;
    return inPhase(number < unhealthy ? 'Unknown' : 'Running', 0, {
      metadata: { name, uid: name, labels: { cluster } },
    });
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
  const machines = [...herdOf('east', { unhealthy: 9, healthy: 1 }), ...herdOf('west', { unhealthy: 2, healthy: 8 })];
  const { reasonFor } = censusOf(machines);
  expect([reasonFor('east-0'), reasonFor('west-0')]).toEqual(['ZoneOutage', undefined]);
});

test('a machine of which nobody says the zone may be in one that is out', () => {
  const lost = inPhase('Unknown', 0, {
    metadata: { name: 'lost', uid: 'lost', labels: { cluster: 'east', zone: '' } },
  });
  const healthy = herdOf('east', { unhealthy: 0, healthy: 20 }).map(({ metadata, ...rest }) => ({
    ...rest,
    metadata: { ...metadata, uid: `b-${metadata.uid}`, labels: { cluster: 'east', zone: 'b' } },
  }));
  expect(censusOf([...herdOf('east', { unhealthy: 9, healthy: 1 }), ...healthy, lost]).reasonFor('lost')).toBe(
    'ZoneOutage',
  );
  expect(
    censusOf([...herdOf('east', { unhealthy: 2, healthy: 8 }), ...healthy, lost]).reasonFor('lost'),
  ).toBeUndefined();
});

test('machines that are given up count at once, each of them once, and for as long as caches may not show it', async () => {
  const machines = herdOf('east', { unhealthy: 3, healthy: 17 });
  const { census, clock, reasonFor } = censusOf(machines);
  const [first, second] = machines;
  if (!first || !second) throw new Error('the herd has twenty machines');
  census.givenUp(first);
  census.givenUp(first);
  expect(reasonFor('east-2')).toBeUndefined();
  census.givenUp(second);
  expect(reasonFor('east-2')).toBe('ZoneBudgetExhausted');
  // The write of one may have failed: it is not in its own way.
  expect(reasonFor('east-1')).toBeUndefined();
  await clock.advance(9_000);
  expect(reasonFor('east-2')).toBe('ZoneBudgetExhausted');
  await clock.advance(3_000);
  expect(reasonFor('east-2')).toBeUndefined();
});

test('however many ask, machines are counted once in two seconds', async () => {
  const { clock, reasonFor, lists } = censusOf(herdOf('east', { unhealthy: 50, healthy: 0 }));
  for (let asked = 0; asked < 50; asked++) reasonFor(`east-${asked}`);
  expect(lists()).toBe(1);
  await clock.advance(2_000);
  reasonFor('east-0');
  expect(lists()).toBe(2);
});

// hack/decisions/0028 O19
test.each([
  ['never confirmed: taken over from MCM while the cloud is away', undefined],
  ['confirmed under another UID: restored while the cloud is away', 'before 2026-01-01T00:00:00Z virtual:///vm'],
  ['confirmed', 'own'],
])('a zone of which half is unhealthy is given up within its budget: machines that were %s', async (_what, record) => {
  const machines = herdOf('east', { unhealthy: 50, healthy: 50 }).map(({ metadata, ...rest }) => {
    const own = record === 'own' ? `${metadata.uid} 2026-01-01T00:00:00Z virtual:///vm` : record;
    const annotations = own === undefined ? {} : { [ANNOTATION_CONFIRMED]: own };
    return { ...rest, metadata: { ...metadata, annotations, ownerReferences: [OWNER] } };
  });
  const { census, clock } = censusOf(machines);
  for (let second = 0; second < 60; second++) {
    for (const [at, machine] of machines.entries())
      if (machine.status?.currentStatus?.phase === 'Unknown' && !census.holdFor(machine)) {
        census.givenUp(machine);
        machines[at] = {
          ...machine,
          status: { ...machine.status, currentStatus: { phase: 'Failed' }, failureReason: 'HealthTimedOut' },
        };
      }
    await clock.advance(1_000);
  }
  expect(machines.filter(({ status }) => status?.currentStatus?.phase === 'Failed')).toHaveLength(10);
});

// hack/decisions/0028 T3, hack/decisions/0044
describe('machines of a tenant in the zone of another', () => {
  const ofTenant = (namespace: string, plan: { unhealthy: number; healthy: number; zone?: string }) =>
    herdOf('east', plan).map(({ metadata, ...rest }) => {
      const uid = `${namespace}/${metadata.uid}`;
      const labels = { cluster: 'east', zone: plan.zone ?? 'a' };
      return { ...rest, metadata: { ...metadata, name: uid, uid, namespace, labels } };
    });
  const unhealthy = (namespace: string, zone = 'a') => ofTenant(namespace, { unhealthy: 1, healthy: 0, zone });

  test('that are all unhealthy hold up nobody else', () => {
    const machines = [
      ...ofTenant('tenant', { unhealthy: 30, healthy: 0 }),
      ...ofTenant('victim', { unhealthy: 1, healthy: 5 }),
    ];
    const { reasonFor } = censusOf([...machines, ...unhealthy('alone')]);
    expect(['tenant/east-0', 'victim/east-0', 'alone/east-0'].map(reasonFor)).toEqual([
      'ZoneOutage',
      undefined,
      undefined,
    ]);
  });

  test('are one outage with those of many others, that of a single machine too', () => {
    const machines = ['b', 'c', 'd'].flatMap((namespace) => ofTenant(namespace, { unhealthy: 9, healthy: 1 }));
    const { reasonFor } = censusOf([...machines, ...unhealthy('alone')]);
    expect(reasonFor('alone/east-0')).toBe('ZoneOutage');
  });

  test('that are healthy keep nobody’s outage from being one', () => {
    const machines = [
      ...ofTenant('tenant', { unhealthy: 0, healthy: 500 }),
      ...ofTenant('victim', { unhealthy: 6, healthy: 0 }),
    ];
    expect(censusOf(machines).reasonFor('victim/east-0')).toBe('ZoneOutage');
  });

  test('in a zone that they made up hold up no machine without a zone', () => {
    const made = ofTenant('tenant', { unhealthy: 3, healthy: 0, zone: 'made-up' });
    const machines = [...made, ...ofTenant('victim', { unhealthy: 0, healthy: 20 }), ...unhealthy('victim', '')];
    const lost = machines.at(-1);
    const { census } = censusOf(machines);
    expect(lost && census.holdFor(lost)).toBeUndefined();
  });

  test('that are being replaced take nothing of the budget of others', () => {
    const machines = [
      ...ofTenant('tenant', { unhealthy: 2, healthy: 18 }),
      ...ofTenant('victim', { unhealthy: 2, healthy: 8 }),
    ];
    const { census, reasonFor } = censusOf(machines);
    for (const one of machines.slice(0, 2)) census.givenUp(one);
    expect(reasonFor('victim/east-0')).toBeUndefined();
    const [first] = ofTenant('victim', { unhealthy: 1, healthy: 0 });
    if (first) census.givenUp(first);
    expect(reasonFor('victim/east-1')).toBe('ZoneBudgetExhausted');
  });

  test('that are given up, and whose VMs nobody confirmed, freeze nobody together with those of another', () => {
    const lost = ['b', 'c', 'd'].flatMap((namespace) =>
      ofTenant(namespace, { unhealthy: 9, healthy: 0 }).map((one) => ({
        ...one,
        status: { currentStatus: { phase: 'Failed' as const }, failureReason: 'HealthTimedOut' },
      })),
    );
    const { reasonFor } = censusOf([
      ...lost,
      ...unhealthy('alone'),
      ...ofTenant('b', { unhealthy: 1, healthy: 0, zone: 'a' }),
    ]);
    expect([reasonFor('alone/east-0'), reasonFor('b/east-0')]).toEqual([undefined, 'ZoneOutage']);
  });

  test('are one zone in what is measured', () => {
    const machines = [
      ...ofTenant('tenant', { unhealthy: 3, healthy: 0 }),
      ...ofTenant('victim', { unhealthy: 1, healthy: 5 }),
    ];
    expect([...censusOf(machines).census.areas()]).toEqual([
      { cluster: 'east', zone: 'a', tally: { total: 9, unhealthy: 4, replaced: 0 }, isOut: true },
      { cluster: 'east', tally: { total: 9, unhealthy: 4, replaced: 0 }, isOut: true },
    ]);
  });
});
