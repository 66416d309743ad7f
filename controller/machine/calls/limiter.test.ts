import { describe, expect, test } from 'bun:test';
import { FakeClock } from '../../runtime/clock.fake.ts';
import { CallSlots, type SlotFor, type SlotLimits } from './limiter.ts';

// hack/decisions/0028 T15

const LIMITS = { createMachine: 100, deleteMachine: 100, updateMachine: 10, driverCalls: 200, isShared: true };

function bench(limits: Partial<SlotLimits> = {}) {
  const enqueued: string[] = [];
  const enqueue = (key: string) => void enqueued.push(key);
  const slots = new CallSlots({ clock: new FakeClock(), limits: { ...LIMITS, ...limits }, enqueue });
  const about = (key: string, method: SlotFor['method'] = 'createMachine'): SlotFor => ({
    key,
    classKey: key.slice(0, key.lastIndexOf('/')).replace('/', '-'),
    method,
  });
  /** How many of so many calls of each of some classes find a slot. */
  const flood = (classes: number, { namespace, method }: { namespace: string; method: SlotFor['method'] }) => {
    let taken = 0;
    for (let at = 0; at < classes; at++)
      for (let name = 0; name < 300; name++) {
        const call = { key: `${namespace}/${at}-${name}`, classKey: `${namespace} ${at}`, method };
        if (slots.enter(call)) taken += 1;
      }
    return taken;
  };
  return { slots, enqueued, about, flood };
}

const METHODS = ['createMachine', 'deleteMachine', 'getMachineStatus', 'initializeMachine', 'claimMachine'] as const;

describe('calls in flight at once', () => {
  test.each([
    ['of one class', 1, { isShared: false }, 100],
    ['of one class, of which there may be more, but no more at all', 1, { isShared: false, createMachine: 300 }, 100],
    ['of one class, if there may be other namespaces', 1, {}, 50],
    ['of a namespace with fifty classes, if there may be others', 50, {}, 99],
    ['of the only namespace, with fifty classes', 50, { isShared: false }, 199],
    ['of as few as one can have', 50, { driverCalls: 1 }, 1],
  ])('%s', (_whose, classes, limits, most) => {
    expect(bench(limits).flood(classes, { namespace: 'flood', method: 'createMachine' })).toBe(most);
  });

  test.each(METHODS)('of %s are bounded, whatever the namespaces', (method) => {
    const { flood } = bench();
    const namespaces = Array.from({ length: 30 }, (_, at) => `n${at}`);
    const taken = namespaces.map((namespace) => flood(3, { namespace, method }));
    expect(taken.slice(0, 4)).toEqual([87, 49, 28, 15]);
    expect(taken.reduce((sum, one) => sum + one, 0)).toBeWithin(190, 201);
  });
});

test.each(METHODS)('a namespace that floods %s holds up no other, nor its own calls of another method', (method) => {
  const { slots, about, flood } = bench();
  flood(50, { namespace: 'flood', method });
  expect(slots.full(about('flood/large/late'))).toEqual([method]);
  expect(slots.full(about('quiet/small/m'))).toEqual([]);
  expect(slots.enter(about('quiet/small/m', method))).toBeDefined();
});

// hack/decisions/0028 O10
test('whoever takes a slot of one method waits for none of another, and what was kept goes to the next', () => {
  const { slots, enqueued, about } = bench({ createMachine: 1 });
  const leave = slots.enter(about('herd/small/a'));
  for (const key of ['herd/small/b', 'herd/small/c']) slots.await(about(key));
  leave?.();
  expect(enqueued).toEqual(['herd/small/b']);
  slots.enter(about('herd/small/b', 'getMachineStatus'));
  expect(enqueued).toEqual(['herd/small/b', 'herd/small/c']);
});

// hack/decisions/0051 L77
test('whoever asks before a deletion keeps the slot for that', () => {
  const { slots, enqueued, about } = bench({ deleteMachine: 1 });
  const leave = slots.enter(about('herd/small/a', 'deleteMachine'));
  for (const key of ['herd/small/b', 'herd/small/c']) slots.await(about(key, 'deleteMachine'));
  leave?.();
  slots.enter(about('herd/small/b', 'getMachineStatus'))?.();
  expect(enqueued).toEqual(['herd/small/b']);
  expect(slots.full(about('herd/small/b'))).toEqual([]);
  expect(slots.full(about('herd/small/c'))).toEqual(['deleteMachine']);
});
