import { describe, expect, test } from 'bun:test';
import { node } from '../../test/fixtures/objects.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import type { Lease } from '../runtime/k8s/core.ts';
import { FakeLog } from '../runtime/observability/log.fake.ts';
import { followHeartbeats, Heartbeats } from './heartbeats.ts';

const LIMIT = 60_000;
const lease = (renewTime: string | undefined, uid?: string): Lease => ({
  metadata: {
    name: 'm',
    ...(uid && { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'm', uid }] }),
  },
  spec: renewTime === undefined ? {} : { renewTime },
});

/** Whether the Node is silent after Leases seen at these moments, and how often that changed. */
function after(...looks: Array<[at: number, ...there: Lease[]]>): [silent: boolean, changes: number] {
  let changes = 0;
  const heartbeats = new Heartbeats({ limitMs: LIMIT, changed: () => changes++ });
  for (const [at, ...there] of looks) heartbeats.saw(there, at);
  return [heartbeats.isSilent(node()), changes];
}
/** Looks every ten seconds up to this one. */
const until = (end: number, one: Lease): Array<[number, Lease]> =>
  Array.from({ length: end / 10_000 + 1 }, (_, index) => [index * 10_000, one]);

describe('a Node', () => {
  test.each([
    ['is silent when its Lease stays the same for the whole time', until(LIMIT, lease('a')), [true, 1]],
    ['is not before that', until(LIMIT - 10_000, lease('a')), [false, 0]],
    ['is heard again', [...until(LIMIT, lease('a')), [LIMIT + 10_000, lease('b')]], [false, 2]],
    ['is not silent for a time in the past: clocks of kubelets may be wrong', [[0, lease('2001-01-01')]], [false, 0]],
    ['without a Lease is not silent', until(LIMIT, lease(undefined)), [false, 0]],
    ['whose Lease is gone is not silent', [...until(LIMIT, lease('a')), [LIMIT + 10_000]], [false, 2]],
    ['is not silent by the Lease of another of its name', until(LIMIT, lease('a', 'uid-other')), [false, 1]],
    ['is silent by its own', until(LIMIT, lease('a', 'uid-node')), [true, 1]],
    [
      'is not silent because nobody looked',
      [
        [0, lease('a')],
        [LIMIT, lease('a')],
      ],
      [false, 0],
    ],
  ] as Array<[string, Array<[number, ...Lease[]]>, [boolean, number]]>)('%s', (_what, looks, result) => {
    expect(after(...looks)).toEqual(result);
  });
});

describe('the Lease of a Node was renewed, as far as was seen (hack/decisions/0051 L32)', () => {
  const heardAfter = (...looks: Array<[at: number, ...there: Lease[]]>) => {
    const heartbeats = new Heartbeats({ limitMs: LIMIT, changed: () => {} });
    for (const [at, ...there] of looks) heartbeats.saw(there, at);
    return heartbeats.heard(node());
  };
  test.each<[string, Array<[number, ...Lease[]]>, unknown]>([
    ['never by one that is seen for the first time', [[0, lease('a')]], {}],
    ['after the look before it', [...until(20_000, lease('a')), [30_000, lease('b')]], { livedAt: 20_000 }],
    ['and not since', [...until(20_000, lease('a')), [30_000, lease('b')], [40_000, lease('b')]], { livedAt: 20_000 }],
    ['not where there is none', [[0]], undefined],
    ['not by that of another of its name', [[0, lease('a', 'uid-other')]], undefined],
  ])('%s', (_what, looks, heard) => expect(heardAfter(...looks)).toEqual(heard as never));
});

describe('a Node that was silent, and whose Lease can be read no longer (hack/decisions/0051 L76)', () => {
  const silentOnce = () => {
    const told: string[] = [];
    const heartbeats = new Heartbeats({ limitMs: LIMIT, changed: (name) => told.push(name) });
    for (const [at, one] of until(LIMIT, lease('a', 'uid-node'))) heartbeats.saw([one], at);
    return { heartbeats, told };
  };

  test('is silent no longer, and neither is another of its name', () => {
    const { heartbeats } = silentOnce();
    const before = heartbeats.isSilent(node());
    for (let looks = 0; looks < 100; looks++) heartbeats.missed();
    const another = node({ metadata: { uid: 'uid-other' } });
    expect([before, heartbeats.isSilent(node()), heartbeats.isSilent(another)]).toEqual([true, false, false]);
  });

  test('is looked at again, once', () => {
    const { heartbeats, told } = silentOnce();
    heartbeats.missed();
    heartbeats.missed();
    expect(told).toEqual(['m', 'm']);
  });

  test('is silent again when its Lease stayed the same for the whole time since it could be read again', () => {
    const { heartbeats } = silentOnce();
    heartbeats.missed();
    const looks = [LIMIT + 10_000, ...until(LIMIT, lease('a')).map(([at]) => LIMIT + 20_000 + at)];
    const seen = looks.map((at) => {
      heartbeats.saw([lease('a', 'uid-node')], at);
      return heartbeats.isSilent(node());
    });
    expect(seen.indexOf(true)).toBe(LIMIT / 10_000);
  });
});

test('a look that fails starts all clocks anew, and is told of once', async () => {
  const clock = new FakeClock(0);
  const log = new FakeLog();
  const end = new AbortController();
  const heartbeats = new Heartbeats({ limitMs: LIMIT, changed: () => {} });
  let away = false;
  const list = async () => {
    if (away) throw new Error('away');
    return { items: [lease('a')], resourceVersion: '1' };
  };
  const api = { list: list as never };
  const done = followHeartbeats(heartbeats, { api, clock, log }, end.signal);
  const pass = async (looks: number) => {
    for (let look = 0; look < looks; look++) await clock.advance(heartbeats.periodMs);
  };
  await pass(6);
  expect(heartbeats.isSilent(node())).toBe(true);
  away = true;
  await pass(2);
  away = false;
  await pass(5);
  expect(heartbeats.isSilent(node())).toBe(false);
  await pass(2);
  expect(heartbeats.isSilent(node())).toBe(true);
  end.abort();
  await done;
  expect(log.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
});
