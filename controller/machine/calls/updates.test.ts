import { expect, test } from 'bun:test';
import type { Driver } from '../../drivers/sdk/driver.ts';
import { DriverError } from '../../drivers/sdk/errors.ts';
import { FakeClock } from '../../runtime/clock.fake.ts';
import { callsFor } from './inflight.fixture.ts';

const driver: Driver = {
  name: 'virtual',
  providerSpec: { type: 'object', properties: { tags: { type: 'object', 'x-drover-hot-update': true } } },
  createMachine: () => Promise.reject(),
  deleteMachine: () => Promise.reject(),
  updateMachine: async () => {},
};

function bench(one: Driver = driver) {
  const clock = new FakeClock();
  const { updatesOf, enqueued, failures } = callsFor({ clock });
  const updates = updatesOf(new Map([['virtual', one]]));
  const about = (uid: string) => ({ uid, key: `herd/${uid}`, classKey: 'herd/small', mark: '1' });
  const start = (uid: string, run: (signal: AbortSignal) => Promise<void> = async () => {}) =>
    updates.start({ ...about(uid), spec: '{}', run });
  return { clock, updates, enqueued, failures, start, fact: (uid: string) => updates.fact(about(uid)), about };
}

test('what an update brought the VM to is known until it is on record', async () => {
  const { clock, updates, start, fact, enqueued } = bench();
  start('m');
  expect(fact('m')).toMatchObject({ inFlight: { method: 'updateMachine' }, slotFree: false });
  await clock.advance(0);
  expect(fact('m')).toEqual({ slotFree: true, done: '{}', doneAt: clock.now() });
  updates.recorded('m');
  expect(fact('m')).toEqual({ slotFree: true, doneAt: clock.now() });
  expect(enqueued).toEqual(['herd/m']);
});

test('an update that fails is told once, and may be tried again after a while', async () => {
  const { clock, failures, start, fact } = bench();
  start('m', () => Promise.reject(new DriverError('Unavailable', 'the cloud is away')));
  await clock.advance(0);
  expect(failures).toEqual(['herd/m Unavailable: the cloud is away']);
  expect(fact('m')).toMatchObject({ failure: { code: 'Unavailable', permanent: false } });
  expect(fact('m').done).toBeUndefined();
});

test('updates of a class take turns, and the next is enqueued', async () => {
  const { clock, updates, start, fact, enqueued, about } = bench();
  const first = Promise.withResolvers<void>();
  start('a', () => first.promise);
  expect(fact('b').slotFree).toBe(false);
  updates.awaitSlot(about('b'));
  first.resolve();
  await clock.advance(0);
  expect(enqueued).toEqual(['herd/b', 'herd/a']);
});

test('an update that is cancelled fails nobody', async () => {
  const { clock, updates, failures, start, fact } = bench();
  start('m', (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))));
  updates.cancel('m');
  await clock.advance(0);
  expect([failures, fact('m')]).toEqual([[], { slotFree: true }]);
});

test('a creation is the first only for a machine that was made meanwhile, and only once', () => {
  const { updates } = bench();
  updates.born('m');
  expect([updates.isFirstCreation('old'), updates.isFirstCreation('m'), updates.isFirstCreation('m')]).toEqual([
    false,
    true,
    false,
  ]);
});

test('nothing is remembered of a machine that is gone', async () => {
  const { clock, updates, start, fact } = bench();
  start('m');
  await clock.advance(0);
  updates.forget('m');
  expect(fact('m')).toEqual({ slotFree: true });
});
