import { BORN } from '../../../test/fixtures/objects.ts';
import type { Driver } from '../../drivers/sdk/driver.ts';
import { FakeClock } from '../../runtime/clock.fake.ts';
import type { Secret } from '../../runtime/k8s/core.ts';
import { Cache } from '../../runtime/watch/cache.ts';
import { noTokens } from '../flow/view.fixture.ts';
import { callsFor } from './inflight.fixture.ts';
import { DriverCalls, type DriverCallsOptions } from './requests.ts';

/** What is not as it is for every test: what the calls are made with, when, and how long a full class is left alone. */
type Beside = Partial<Pick<DriverCallsOptions, 'secrets' | 'tokens' | 'formerIds' | 'lookUp'>> & {
  clock?: FakeClock;
  exhaustedRetryMs?: number;
};

/** Calls of a driver of the provider `virtual` that has these methods. */
export function driverCallsTo(methods: Partial<Driver>, beside: Beside = {}) {
  const { clock = new FakeClock(BORN), exhaustedRetryMs, ...parts } = beside;
  const { calls, updatesOf } = callsFor({ clock, ...(exhaustedRetryMs !== undefined && { exhaustedRetryMs }) });
  const drivers = new Map([['virtual', { name: 'virtual', providerSpec: {}, ...methods } as Driver]]);
  const updates = updatesOf(drivers);
  const driverCalls = new DriverCalls({
    calls,
    updates,
    secrets: new Cache<Secret>(),
    drivers,
    tokens: noTokens,
    incarnation: 'here',
    lookUp: async () => undefined,
    ...parts,
  });
  return { clock, calls, updates, drivers, driverCalls };
}

/** The Secrets `herd/a` and `herd/b`, the second of which has another `token`. */
export function twoSecrets({ userData = 'x' } = {}): Cache<Secret> {
  const secrets = new Cache<Secret>();
  secrets.put({ metadata: { namespace: 'herd', name: 'a' }, data: { userData: btoa(userData), token: btoa('x') } });
  secrets.put({ metadata: { namespace: 'herd', name: 'b' }, data: { token: btoa('y') } });
  return secrets;
}
