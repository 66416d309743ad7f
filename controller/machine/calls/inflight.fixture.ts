import type { Driver } from '../../drivers/sdk/driver.ts';
import type { Clock } from '../../runtime/clock.ts';
import { FakeLog } from '../../runtime/observability/log.fake.ts';
import { seededRandom } from '../../runtime/random.ts';
import { InFlightCalls } from './inflight.ts';
import { Updates } from './updates.ts';

/** What is not as it is for every test. */
interface Beside {
  clock: Clock;
  exhaustedRetryMs?: number;
  /** Is called for each key that is enqueued. */
  onEnqueue?: () => void;
}

/** Calls and updates, one of a kind at a time; who is enqueued and what fails is noted. */
export function callsFor({ clock, exhaustedRetryMs = 600_000, onEnqueue = () => {} }: Beside) {
  const enqueued: string[] = [];
  const failures: string[] = [];
  const limits = {
    createMachine: 1,
    deleteMachine: 1,
    updateMachine: 1,
    driverCalls: 100,
    isShared: true,
    exhaustedRetryMs,
  };
  const enqueue = (key: string) => {
    enqueued.push(key);
    onEnqueue();
  };
  const options = { clock, random: seededRandom(1), log: new FakeLog(), limits, enqueue };
  const failed = (key: string, { code, message }: { code: string; message: string }) =>
    void failures.push(`${key} ${code}: ${message}`);
  const updatesOf = (drivers: ReadonlyMap<string, Driver>) => new Updates({ ...options, drivers, failed });
  return { calls: new InFlightCalls(options), updatesOf, enqueued, failures };
}
