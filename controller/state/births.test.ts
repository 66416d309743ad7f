import { expect, test } from 'bun:test';
import { machine, machineSet } from '../../test/fixtures/objects.ts';
import { ApiError } from '../runtime/client/errors.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import { Cache } from '../runtime/watch/cache.ts';
import { Births } from './births.ts';

// hack/decisions/0051 S20

const set = machineSet();
const made = machine({ metadata: { name: 'a', resourceVersion: '5' } });
const error = (fields: { status: number; mayHaveActed?: boolean }) => new ApiError('no', { reason: 'x', ...fields });
const lost = error({ status: 0, mayHaveActed: true });
const refused = error({ status: 403 });

function stage() {
  const [clock, machines] = [new FakeClock(), new Cache()];
  machines.reset([], '1');
  const births = new Births({ machines, clock });
  /** One pass that makes the machine `a`; what becomes of it. */
  const pass = async (create: () => Promise<typeof made>) => {
    births.begin(set, ['a']);
    await births.follow(set, 'a', create).catch(() => {});
    births.end(set);
    return births.count(set);
  };
  return { births, clock, machines, pass };
}

test('machines count from when they are to be made, and those that are never asked for until the pass is over', async () => {
  const { births } = stage();
  births.begin(set, ['a', 'b', 'c']);
  expect(births.count(set)).toBe(3);
  await births.follow(set, 'a', () => Promise.reject(refused)).catch(() => {});
  expect(births.count(set)).toBe(2);
  births.end(set);
  expect(births.count(set)).toBe(0);
});

test('one that was made counts until the cache has come that far, whether it is still there or not', async () => {
  const { births, machines, pass } = stage();
  expect(await pass(async () => made)).toBe(1);
  machines.reset([], '4');
  expect(births.count(set)).toBe(1);
  machines.reset([], '6');
  expect(births.count(set)).toBe(0);
});

test('nobody counts twice what the cache shows', async () => {
  const { births, machines, pass } = stage();
  await pass(() => Promise.reject(lost));
  machines.put(made);
  expect(births.count(set)).toBe(0);
});

test('one without an answer counts for as long as an API server works at a request, also when the next is refused', async () => {
  const { births, clock, pass } = stage();
  expect(await pass(() => Promise.reject(lost))).toBe(1);
  await clock.advance(1_000);
  expect(await pass(() => Promise.reject(refused))).toBe(1);
  await clock.advance(58_999);
  expect(births.count(set)).toBe(1);
  await clock.advance(1);
  expect(births.count(set)).toBe(0);
});

test('what one set asked for is none of another', () => {
  const { births } = stage();
  births.begin(set, ['a']);
  expect(births.count(machineSet({ metadata: { uid: 'uid-other' } }))).toBe(0);
});

test('what was refused, or not asked for, is not there; what was made or had no answer may be (hack/decisions/0028 T51)', async () => {
  const { births, clock, pass } = stage();
  births.begin(set, ['a', 'b']);
  expect([births.isOpen(set, 'a'), births.mayExist(set, 'a')]).toEqual([true, false]);
  await pass(() => Promise.reject(refused));
  expect([births.isOpen(set, 'a'), births.mayExist(set, 'a')]).toEqual([false, false]);
  await pass(() => Promise.reject(lost));
  await pass(() => Promise.reject(refused));
  expect(births.mayExist(set, 'a')).toBe(true);
  await clock.advance(60_000);
  await pass(() => Promise.reject(refused));
  expect(births.mayExist(set, 'a')).toBe(false);
  await pass(async () => made);
  expect(births.mayExist(set, 'a')).toBe(true);
});
