import { describe, expect, test } from 'bun:test';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { at, inPhase, machine, machineDeployment, machineSet } from '../../test/fixtures/objects.ts';
import { nobodysIn, ownedBy } from '../model/ownership.ts';
import { oneTarget } from '../model/target.fixture.ts';
import { HotFields } from '../model/template.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import { FakeLog } from '../runtime/observability/log.fake.ts';
import { openGates } from '../safety/outage/gates.fixture.ts';
import { makeCaches } from '../state/caches.ts';
import { observe } from './observe.ts';

// hack/decisions/0028 T46 and T65

const SIBLINGS = 30;
const LOOSE = 50;
const PARTS = 100;
const pool = machineDeployment();
const ofPool = { ownerReferences: [ownedBy(pool, 'MachineDeployment')] };
const told = { annotations: { 'deployment.kubernetes.io/max-replicas': '9' } };
const own = (metadata: object = told, replicas = 1) =>
  machineSet({ metadata: { name: 'own', uid: 'uid-own', ...ofPool, ...metadata }, spec: { replicas } });
const keys = Array.from({ length: PARTS }, (_, at) => `k${at}`);
const alike = (_at: number) => labelsWith('x');
/** All that siblings select, but for another label of each machine. */
const inTurn = (at: number) => ({ ...labelsWith('y'), [`k${at % PARTS}`]: 'z' });
const labelsWith = (last: string) => Object.fromEntries([...keys.map((key) => [key, 'x']), [`k${PARTS - 1}`, last]]);

/** How often labels of machines of nobody's are read, and their list asked for, by a look at this set beside its siblings. */
function look(set: MachineSet, more: readonly Machine[] = [], { siblings = SIBLINGS, labels = alike } = {}) {
  const caches = makeCaches(new FakeLog());
  let [reads, lists] = [0, 0];
  caches.deployments.reset([pool], '1');
  const sibling = (at: number): MachineSet => {
    const { spec, ...one } = machineSet({
      metadata: { name: `s${at}`, uid: `uid-s${at}`, ...ofPool },
      spec: { replicas: 0 },
    });
    return { ...one, spec: { ...spec, selector: { matchLabels: labelsWith('y') } } } as MachineSet;
  };
  caches.sets.reset([set, ...Array.from({ length: siblings }, (_, at) => sibling(at))], '1');
  const loose = Array.from({ length: LOOSE }, (_, at) => machine({ metadata: { name: `m${at}`, uid: `uid-m${at}` } }));
  const counted = loose.map((one, at) => ({
    ...one,
    metadata: { ...one.metadata, labels: counting(labels(at), () => reads++) },
  }));
  caches.machines.reset([...counted, ...more], '1');
  const by = caches.machines.by.bind(caches.machines);
  caches.machines.by = (index, value) => {
    if (value === nobodysIn('herd')) lists += 1;
    return by(index, value);
  };
  const sources = {
    ...caches,
    gates: openGates,
    clusters: new Map(),
    targets: oneTarget(undefined),
    drivers: new Map(),
    hotFields: new HotFields(new Map()),
    overshoot: { up: 2, down: 1, periodMs: 60_000 },
    births: { count: () => 0 },
    clock: new FakeClock(),
  };
  reads = 0;
  const { takenBySiblings } = observe(sources, 'herd/own', { salt: 0, refused: new Set() }) ?? {};
  return { reads, lists, takenBySiblings };
}

/** Labels that tell when one of theirs is read. */
const counting = (all: Record<string, string>, read: () => void): Record<string, string> =>
  new Proxy(all, {
    get: (labels, key) => {
      read();
      return Reflect.get(labels, key);
    },
  });

describe('machines of nobody’s, beside a set with many siblings', () => {
  const running = inPhase('Running', 0, {
    metadata: { name: 'r', uid: 'r', ownerReferences: [ownedBy(own(), 'MachineSet')] },
  });

  test.each<[string, MachineSet, Machine[]]>([
    ['that has all its machines', own(), [running]],
    ['that is to have none', own(told, 0), []],
    ['that shares no limit with them', own({}), []],
  ])('are held against its own selector alone, of one %s', (_what, set, more) => {
    const { reads, lists } = look(set, more);
    expect(lists).toBe(1);
    expect(reads).toBeLessThan(2 * LOOSE);
  });

  test('are listed once for all of them, and judged by the part that failed last, where it lacks machines', () => {
    const { reads, lists } = look(own());
    expect(lists).toBe(2);
    expect(reads).toBeLessThan((SIBLINGS + 1) * (LOOSE + PARTS));
  });

  test('that fail by another label each are held against so many, and none is made until they are fewer', () => {
    const few = look(own(), [], { labels: inTurn });
    expect(few.takenBySiblings).toBe(0);
    const many = look(own(), [], { siblings: 500, labels: inTurn });
    expect(many.reads).toBeGreaterThan(400_000);
    expect(many.reads).toBeLessThan(500_000 + LOOSE * PARTS);
    expect(many.takenBySiblings).toBe(Infinity);
  });

  test('count as those of the sibling that is to adopt them', () => {
    const orphan = machine({ metadata: { name: 'o', uid: 'o', labels: labelsWith('y') } });
    expect(look(own()).takenBySiblings).toBe(0);
    expect(look(own(), [orphan, orphan]).takenBySiblings).toBe(SIBLINGS);
  });

  // hack/decisions/0051 L89
  test('count so also beside a machine of the set’s that leaves: another is to be made for it', () => {
    const orphan = machine({ metadata: { name: 'o', uid: 'o', labels: labelsWith('y') } });
    const leaving = { ...running, metadata: { ...running.metadata, deletionTimestamp: at(30) } };
    expect(look(own(), [leaving, orphan]).takenBySiblings).toBe(SIBLINGS);
  });

  test('count no more once they can hold no VM', () => {
    const failed = inPhase('Failed', 0, { metadata: { name: 'o', uid: 'o', labels: labelsWith('y') } });
    const orphan = { ...failed, status: { ...failed.status, errorReason: 'VMNotFound' } };
    expect(look(own(), [orphan]).takenBySiblings).toBe(0);
  });
});
