import { describe, expect, test } from 'bun:test';
import { DriverError } from '../../drivers/sdk/errors.ts';
import { FakeClock } from '../../runtime/clock.fake.ts';
import { FakeLog } from '../../runtime/observability/log.fake.ts';
import { seededRandom } from '../../runtime/random.ts';
import type { Call } from './failures.ts';
import { InFlightCalls } from './inflight.ts';

const ANSWER = { providerID: 'virtual:///u', nodeName: 'm', initialized: true };

const LIMITS = {
  createMachine: 2,
  deleteMachine: 2,
  updateMachine: 2,
  driverCalls: 8,
  isShared: true,
  exhaustedRetryMs: 600_000,
};

function bench(limits = LIMITS) {
  const clock = new FakeClock();
  const enqueued: string[] = [];
  const enqueue = (key: string) => enqueued.push(key);
  const calls = new InFlightCalls({ clock, random: seededRandom(1), log: new FakeLog(), limits, enqueue });
  const call = (changes: Partial<Call> = {}): Call => ({
    uid: 'u',
    key: 'herd/m',
    classKey: 'herd/small',
    method: 'createMachine',
    mark: '1',
    run: async () => ANSWER,
    ...changes,
  });
  const fact = (changes: Partial<Call> = {}) => calls.fact(call(changes));
  return { clock, enqueued, calls, call, fact };
}

const failing = (code: ConstructorParameters<typeof DriverError>[0]) => async () => {
  throw new DriverError(code, `the driver says ${code}`);
};

describe('a driver call', () => {
  test('is in flight until it is answered, and its answer enqueues the machine', async () => {
    const { clock, enqueued, calls, call, fact } = bench();
    calls.start(call());
    expect(fact().inFlight).toEqual({ method: 'createMachine', since: clock.now() });
    expect(calls.vm('u')).toEqual({ at: 'unknown' });
    await clock.advance(0);
    expect(calls.vm('u')).toEqual({ at: 'present', ...ANSWER });
    expect(fact()).toMatchObject({ askedAt: clock.now() });
    expect(fact().inFlight).toBeUndefined();
    expect(enqueued).toEqual(['herd/m']);
  });

  test('does not start while another of the machine is in flight', async () => {
    const { clock, calls, call } = bench();
    let runs = 0;
    const run = () => {
      runs += 1;
      return new Promise<never>(() => {});
    };
    calls.start(call({ run }));
    calls.start(call({ run, method: 'deleteMachine' }));
    await clock.advance(0);
    expect(runs).toBe(1);
  });

  test('that a driver lets hang is given up at its deadline', async () => {
    const { clock, calls, call, fact } = bench();
    calls.start(
      call({
        run: (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      }),
    );
    await clock.advance(599_999);
    expect(fact().inFlight).toBeDefined();
    await clock.advance(1);
    expect(fact()).toMatchObject({ failure: { code: 'DeadlineExceeded', permanent: false } });
    expect(calls.vm('u')).toEqual({ at: 'unknown' });
  });

  test('that a driver does not let go of is given up a while later', async () => {
    const { clock, calls, call, fact } = bench();
    calls.start(call({ run: () => new Promise(() => {}) }));
    await clock.advance(600_000);
    expect(fact().inFlight).toBeDefined();
    await clock.advance(30_000);
    expect(fact().inFlight).toBeUndefined();
  });

  test('that is cancelled ends without a failure, once the driver has let go', async () => {
    const { clock, calls, call, fact } = bench();
    const letGo = Promise.withResolvers<never>();
    calls.start(call({ run: () => letGo.promise }));
    calls.cancel('u');
    await clock.advance(1_000);
    expect(fact().inFlight).toMatchObject({ cancelled: true });
    letGo.reject(new DriverError('Canceled', 'as you wish'));
    await clock.advance(0);
    expect([fact().inFlight, fact().failure, calls.vm('u')]).toEqual([undefined, undefined, { at: 'unknown' }]);
  });
});

describe('after an error', () => {
  test.each([
    ['Unavailable', 4_000, 6_000, false],
    ['ResourceExhausted', 600_000, 600_000, false],
    ['InvalidArgument', 600_000, 600_000, true],
    ['NotFound', 600_000, 600_000, true],
  ] as const)('%s the next try is due between %p and %p ms later', async (code, least, most, permanent) => {
    const { clock, calls, call, fact } = bench();
    calls.start(call({ run: failing(code) }));
    await clock.advance(0);
    const { failure } = fact();
    expect(failure).toMatchObject({ code, permanent, method: 'createMachine' });
    expect((failure?.retryAt ?? 0) - clock.now()).toBeWithin(least, most + 1);
  });

  test('that passes the waits grow, up to three minutes, and begin anew after a success', async () => {
    const { clock, calls, call, fact } = bench();
    const waits: number[] = [];
    for (let tries = 0; tries < 9; tries++) {
      calls.start(call({ run: failing('Aborted') }));
      await clock.advance(0);
      waits.push((fact().failure?.retryAt ?? 0) - clock.now());
    }
    expect(waits[1]).toBeGreaterThan(waits[0] ?? 0);
    expect(waits.at(-1)).toBeWithin(144_000, 180_001);
    calls.start(call());
    await clock.advance(0);
    calls.start(call({ run: failing('Aborted') }));
    await clock.advance(0);
    expect((fact().failure?.retryAt ?? 0) - clock.now()).toBeWithin(4_000, 6_001);
  });

  test('a change of the machine, its class or its secret allows a try at once', async () => {
    const { clock, calls, call, fact } = bench();
    calls.start(call({ run: failing('InvalidArgument') }));
    await clock.advance(0);
    expect(fact({ mark: '2' }).failure?.retryAt).toBe(clock.now());
  });

  // hack/decisions/0051 L2
  test('of one method, an answer of another says nothing of it, unless it shows that it is overcome', async () => {
    const { clock, calls, call, fact } = bench();
    const fail = async (method: Call['method']) => {
      calls.start(call({ method, run: failing('Aborted') }));
      await clock.advance(0);
    };
    const ask = async (run: Call['run']) => {
      calls.start(call({ method: 'getMachineStatus', run }));
      await clock.advance(0);
      const { failure, earlier = [] } = fact();
      return [failure, ...earlier].map((one) => one?.method);
    };
    await fail('createMachine');
    await fail('getMachineStatus');
    expect(fact().earlier).toMatchObject([{ method: 'createMachine' }]);
    expect(await ask(failing('NotFound'))).toEqual(['createMachine']);
    await fail('initializeMachine');
    expect(await ask(async () => ({ ...ANSWER, initialized: false }))).toEqual(['initializeMachine']);
    expect(await ask(async () => ANSWER)).toEqual([undefined]);
  });

  test('of the status call, NotFound means that the VM is absent', async () => {
    const { clock, calls, call, fact } = bench();
    calls.start(call({ method: 'getMachineStatus', run: failing('NotFound') }));
    await clock.advance(0);
    expect([calls.vm('u'), fact().failure]).toEqual([{ at: 'absent', since: clock.now() }, undefined]);
  });

  test('what was known of the VM is in doubt', async () => {
    const { clock, calls, call } = bench();
    calls.start(call());
    await clock.advance(0);
    calls.start(call({ method: 'getMachineStatus', run: failing('Unavailable') }));
    await clock.advance(0);
    expect(calls.vm('u')).toEqual({ at: 'unknown' });
  });
});

test('a VM that could not be initialized is known all the same, and is initialized again', async () => {
  const { clock, calls, call } = bench();
  const unfinished = { ...ANSWER, initialized: false };
  calls.start(call({ run: async () => unfinished }));
  await clock.advance(0);
  calls.start(call({ method: 'initializeMachine', run: failing('Internal') }));
  await clock.advance(0);
  expect(calls.vm('u')).toEqual({ at: 'present', ...unfinished });
});

test('a driver’s memo is known until the Machine is gone', async () => {
  const { clock, calls, call, fact } = bench();
  expect(fact().lastKnownState).toBeUndefined();
  calls.start(call({ run: async () => ({ ...ANSWER, lastKnownState: 'disk-1' }) }));
  await clock.advance(0);
  expect(fact().lastKnownState).toBe('disk-1');
});

test('no more calls of a class are in flight than allowed, and what waited is enqueued when one ends', async () => {
  const { clock, enqueued, calls, call, fact } = bench();
  const first = Promise.withResolvers<typeof ANSWER>();
  calls.start(call({ uid: 'a', key: 'herd/a', run: () => first.promise }));
  expect(fact().full).toEqual([]);
  calls.start(call({ uid: 'b', key: 'herd/b', run: () => new Promise(() => {}) }));
  expect(fact().full).toEqual(['createMachine']);
  expect(fact({ classKey: 'herd/large' }).full).toEqual([]);
  calls.awaitSlot(call({ uid: 'c', key: 'herd/c' }));
  first.resolve(ANSWER);
  await clock.advance(0);
  expect(enqueued.sort()).toEqual(['herd/a', 'herd/c']);
  expect(fact({ key: 'herd/c' }).full).toEqual([]);
  expect(fact({ key: 'herd/late' }).full).toEqual(['createMachine']);
});

// hack/decisions/0051 L14
test('while a class makes and deletes as many VMs as it may, those that are there are asked about, finished and marked', async () => {
  const { calls, call, fact } = bench({ ...LIMITS, driverCalls: 40 });
  const hang = () => new Promise<never>(() => {});
  for (const method of ['createMachine', 'deleteMachine', 'updateMachine'] as const)
    for (const uid of ['a', 'b', 'c'])
      calls.start(call({ uid: `${method} ${uid}`, key: `herd/${uid}`, method, run: hang }));
  expect(fact().full).toEqual(['createMachine', 'deleteMachine', 'updateMachine']);
  const free = ['getMachineStatus', 'initializeMachine', 'retainMachine', 'claimMachine'] as const;
  for (const method of free)
    for (const uid of ['a', 'b', 'c', 'd', 'e'])
      calls.start(call({ uid: `${method} ${uid}`, key: `herd/${uid}`, method, run: hang }));
  expect(free.map((method) => calls.countByMethod().get(method))).toEqual([5, 5, 5, 5]);
});

// hack/decisions/0028 T15
test('a call that finds its slot taken since it was decided is not made, and its machine is enqueued for the next', async () => {
  const { clock, enqueued, calls, call, fact } = bench();
  const ends = ['a', 'b', 'c', 'd', 'e'].map((uid) => {
    const { promise, resolve } = Promise.withResolvers<typeof ANSWER>();
    calls.start(call({ uid, key: `herd/${uid}`, classKey: uid, run: () => promise }));
    return resolve;
  });
  expect(calls.countByMethod()).toEqual(new Map([['createMachine', 3]]));
  expect(fact({ key: 'other/m' }).full).toEqual([]);
  ends[0]?.(ANSWER);
  await clock.advance(0);
  expect(enqueued.sort()).toEqual(['herd/a', 'herd/d']);
});

test('what asks for a slot that has become free meanwhile is enqueued at once', async () => {
  const { clock, enqueued, calls, call } = bench({ ...LIMITS, createMachine: 1 });
  calls.start(call({ uid: 'a', key: 'herd/a' }));
  await clock.advance(0);
  calls.awaitSlot(call({ uid: 'b', key: 'herd/b' }));
  expect(enqueued).toEqual(['herd/a', 'herd/b']);
});

test('a slot that an enqueued machine no longer wants goes to others after a while, or when it says so', async () => {
  const { clock, enqueued, calls, call } = bench({ ...LIMITS, createMachine: 1 });
  const { promise, resolve } = Promise.withResolvers<typeof ANSWER>();
  calls.start(call({ uid: 'a', key: '', run: () => promise }));
  for (const key of ['herd/gone', 'herd/other', 'herd/c']) calls.awaitSlot(call({ uid: key, key }));
  resolve(ANSWER);
  await clock.advance(0);
  expect(enqueued.filter(Boolean)).toEqual(['herd/gone']);
  await clock.advance(10_000);
  expect(enqueued.filter(Boolean)).toEqual(['herd/gone', 'herd/other']);
  calls.leaveSlot('herd/other');
  expect(enqueued.filter(Boolean)).toEqual(['herd/gone', 'herd/other', 'herd/c']);
});

test('nothing is remembered of a machine that is gone', async () => {
  const { clock, calls, call, fact } = bench();
  calls.start(call({ run: failing('Internal') }));
  await clock.advance(0);
  calls.forget('u');
  expect(fact()).toEqual({ full: [] });
  expect(clock.pending).toBe(0);
});
