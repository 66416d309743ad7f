import { expect, test } from 'bun:test';
import { DriverError } from '../../drivers/sdk/errors.ts';
import { FakeClock } from '../../runtime/clock.fake.ts';
import type { Call } from './failures.ts';
import { callsFor } from './inflight.fixture.ts';

/** How the VM stands once its deletion has failed, of which the driver said before that there is none, or said nothing. */
async function after({ isDenied = true, isCancelled = false }): Promise<string> {
  const clock = new FakeClock();
  const { calls } = callsFor({ clock });
  const call = (changes: Partial<Call>): Call => ({
    uid: 'u',
    key: 'herd/m',
    classKey: 'herd/small',
    method: 'getMachineStatus',
    mark: '1',
    run: () => Promise.reject(new DriverError(isDenied ? 'NotFound' : 'Unavailable', 'no')),
    ...changes,
  });
  calls.start(call({}));
  await clock.advance(0);
  const run = () => clock.sleep(1_000).then(() => Promise.reject(new DriverError('Unavailable', 'no')));
  calls.start(call({ method: 'deleteMachine', run }));
  if (isCancelled) calls.cancel('u');
  await clock.advance(1_000);
  return calls.vm('u').at;
}

// hack/decisions/0051 L127
test('a deletion that fails leaves in doubt how the VM stands, but where the driver had said that there is none', async () => {
  expect(await after({})).toBe('absent');
  expect(await after({ isDenied: false })).toBe('unknown');
});

test('one that was told to give up leaves it in doubt: the machine may live again, and is given no VM on an old word', async () => {
  expect(await after({ isCancelled: true })).toBe('unknown');
});
