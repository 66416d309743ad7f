import { describe, expect, test } from 'bun:test';
import { at, BORN, machine } from '../../../test/fixtures/objects.ts';
import type { Driver } from '../../drivers/sdk/driver.ts';
import { type Code, codes, DriverError } from '../../drivers/sdk/errors.ts';
import { FakeClock } from '../../runtime/clock.fake.ts';
import { driverCallsTo } from '../calls/requests.fixture.ts';
import { statusOf } from '../status/status.ts';
import { plan } from './flow.ts';
import { idle, recorded, view } from './view.fixture.ts';
import type { MachineView } from './view.ts';

/** What follows from each code of each method of a driver (hack/decisions/0000 6; hack/spec/mcm.md 6.4, 6.7, 9.3). */

type Method = 'createMachine' | 'getMachineStatus' | 'initializeMachine' | 'deleteMachine';

const VM = { providerID: 'cloud:///1', nodeName: 'n' };
const EXHAUSTED_MS = 1_234_000;

const living = machine({ metadata: { uid: 'u' } });
const machines: Record<Method, MachineView['machine']> = {
  createMachine: living,
  getMachineStatus: living,
  initializeMachine: machine({ ...recorded, metadata: { ...recorded.metadata, uid: 'u' } }),
  deleteMachine: machine({ ...recorded, metadata: { uid: 'u', deletionTimestamp: at(50) } }),
};

/** A Machine in the state in which the method is called, after the driver answered with the code. */
async function after(method: Method, code: Code, changes: { machine?: MachineView['machine']; now?: number } = {}) {
  const clock = new FakeClock(BORN + 60_000);
  const fails = () => Promise.reject(new DriverError(code, `the cloud says ${code}`));
  const methods: Partial<Driver> = {
    createMachine: async () => VM,
    deleteMachine: async () => ({}),
    getMachineStatus: async () => VM,
    initializeMachine: async () => VM,
    [method]: fails,
  };
  // A creation that says that there is a VM asks how it stands: it is not ours.
  if (method === 'createMachine') methods.getMachineStatus = () => Promise.reject(new DriverError('NotFound', 'none'));
  const { calls, driverCalls } = driverCallsTo(methods, { clock, exhaustedRetryMs: EXHAUSTED_MS });
  const one = changes.machine ?? machines[method];
  const fact = () => {
    const found = { vm: calls.vm('u'), calls: calls.fact({ uid: 'u', key: '', classKey: '', mark: MARK }) };
    return view({ machine: one, now: changes.now ?? clock.now(), ...found });
  };
  if (method === 'initializeMachine') driverCalls.start(fact(), 'createMachine');
  await clock.advance(0);
  driverCalls.start(fact(), method);
  await clock.advance(0);
  return { seen: fact(), retryMs: (fact().calls.failure?.retryAt ?? Number.NaN) - clock.now() };
}

/** Generation of the Machine and version of its class, as calls are marked with. */
const MARK = '1/1';

const retryOf = (ms: number): string => {
  if (Number.isNaN(ms)) return '';
  if (ms >= 4_000 && ms <= 6_000) return 'soon';
  return ms === EXHAUSTED_MS ? 'when there may be room' : `${ms / 60_000}m`;
};

async function told(method: Method, code: Code, changes: Parameters<typeof after>[2] = {}) {
  const { seen, retryMs } = await after(method, code, changes);
  const decision = plan(seen);
  const status = statusOf(seen, decision, at(60));
  const { type, state, errorCode } = status?.lastOperation ?? {};
  const reason = 'reason' in decision.outcome ? decision.outcome.reason : '';
  const said = [status?.currentStatus?.phase, type, state, errorCode, status?.errorReason];
  return [`${decision.step} ${decision.outcome.kind} ${reason}`, retryOf(retryMs), ...said].filter(Boolean).join(' | ');
}

const STEP: Record<Method, [step: string, phase: string, type: string]> = {
  createMachine: ['VMCreated', 'CrashLoopBackOff', 'Create'],
  getMachineStatus: ['VMCreated', 'CrashLoopBackOff', 'Create'],
  initializeMachine: ['VMInitialized', 'CrashLoopBackOff', 'Create'],
  deleteMachine: ['VMDeleted', 'Terminating', 'Delete'],
};

const soon = (method: Method, code: Code): string => {
  const [step, phase, type] = STEP[method];
  return `${step} wait ${code} | soon | ${phase} | ${type} | Failed | ${code}`;
};
const room = (method: Method): string => {
  const [step, phase, type] = STEP[method];
  return `${step} wait ResourceExhausted | when there may be room | ${phase} | ${type} | Failed | ResourceExhausted`;
};
const person = (method: Method, code: Code): string => {
  const [step, phase, type] = STEP[method];
  return `${step} fail ${code} | 10m | ${phase} | ${type} | Failed | ${code} | ${code}`;
};

const TRANSIENT: readonly Code[] = ['Unknown', 'DeadlineExceeded', 'Aborted', 'Unavailable'];
/** Where a method departs from the class of a code; what stands there is the whole answer. */
const OWN: Readonly<Record<Method, Partial<Record<Code, string>>>> = {
  createMachine: {
    OK: soon('createMachine', 'Unknown'),
    Uninitialized: soon('createMachine', 'Uninitialized'),
  },
  getMachineStatus: {
    OK: soon('getMachineStatus', 'Unknown'),
    NotFound: 'VMCreated act CreateVM',
    Unimplemented: 'VMCreated act CreateVM',
    OutOfRange: soon('getMachineStatus', 'OutOfRange'),
    // Without an identity nothing can be said of the VM that is there.
    Uninitialized: person('getMachineStatus', 'Internal'),
  },
  initializeMachine: {
    OK: soon('initializeMachine', 'Unknown'),
    NotFound: 'NodeRegistered wait NodeNotRegistered',
    Unimplemented: 'NodeRegistered wait NodeNotRegistered',
    Internal: soon('initializeMachine', 'Internal'),
    Uninitialized: soon('initializeMachine', 'Uninitialized'),
  },
  deleteMachine: {
    OK: soon('deleteMachine', 'Unknown'),
    // One word is not enough.
    NotFound: 'VMDeleted wait VMTerminating',
    Uninitialized: soon('deleteMachine', 'Uninitialized'),
  },
};

function expected(method: Method, code: Code): string {
  const own = OWN[method][code];
  if (own !== undefined) return own;
  if (TRANSIENT.includes(code)) return soon(method, code);
  return code === 'ResourceExhausted' ? room(method) : person(method, code);
}

describe.each(Object.keys(STEP) as Method[])(
  '%s (hack/decisions/0000 6; hack/spec/mcm.md 9.3; hack/spec/mcm.md Annex B, error retry)',
  (method) => {
    test.each(Object.keys(codes) as Code[])('answers %s', async (code) => {
      expect(await told(method, code)).toBe(expected(method, code));
    });
  },
);

describe('a creation that fails', () => {
  test('after the creation time-out leaves the Machine Failed, with the code (hack/spec/mcm.md 6.4b)', async () => {
    const now = BORN + 1_200_000;
    expect(await told('createMachine', 'ResourceExhausted', { now })).toBe(
      'VMCreated fail CreationTimedOut | when there may be room | Failed | Create | Failed | ResourceExhausted | CreationTimedOut',
    );
  });

  test('tells what the provider said, to people and to Cluster API’s clients', async () => {
    const { seen } = await after('createMachine', 'InvalidArgument');
    expect(statusOf(seen, plan(seen), at(60))).toMatchObject({
      errorReason: 'InvalidArgument',
      errorMessage: 'the cloud says InvalidArgument',
      lastOperation: {
        description: 'Creating the VM failed. Cloud provider message - the cloud says InvalidArgument',
        lastUpdateTime: at(60),
      },
    });
  });
});

describe('what stands there of a failure stays', () => {
  const failed = async (changes: Partial<MachineView>) => {
    const { seen } = await after('createMachine', 'InvalidArgument');
    const before = statusOf(seen, plan(seen), at(60));
    const later = { ...seen, machine: { ...seen.machine, status: before as object }, ...changes };
    return { before, after: statusOf(later, plan(later), at(90)) };
  };

  test('while the call is tried again: only its answer is news', async () => {
    const { seen } = await after('createMachine', 'InvalidArgument');
    const inFlight = { method: 'createMachine', since: BORN } as const;
    expect((await failed({ calls: { ...seen.calls, inFlight } })).after).toBeUndefined();
  });

  test('in another process, which knows the code no longer', async () => {
    const calls = { ...idle, inFlight: { method: 'getMachineStatus', since: BORN } } as const;
    const { before, after: later } = await failed({ vm: { at: 'unknown' }, calls });
    expect(later?.currentStatus).toEqual(before?.currentStatus as never);
    expect(later?.lastOperation).toEqual(before?.lastOperation as never);
  });

  test('in another process, once the Machine is Failed', async () => {
    const { seen } = await after('createMachine', 'ResourceExhausted', { now: BORN + 1_200_000 });
    const before = statusOf(seen, plan(seen), at(1_200));
    const later = { ...seen, machine: { ...seen.machine, status: before as object }, calls: idle };
    expect(statusOf(later, plan(later), at(1_300))?.lastOperation).toEqual(before?.lastOperation as never);
  });
});
