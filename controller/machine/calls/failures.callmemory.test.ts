import { describe, expect, test } from 'bun:test';
import { BORN } from '../../../test/fixtures/objects.ts';
import { type Code, DriverError } from '../../drivers/sdk/errors.ts';
import { FakeClock } from '../../runtime/clock.fake.ts';
import type { Call } from './failures.ts';
import { callsFor } from './inflight.fixture.ts';

const ANSWER = { providerID: 'virtual:///u', nodeName: 'm', initialized: true };
const failing = (code: Code) => () => Promise.reject(new DriverError(code, 'no'));

describe('a deletion that was answered', () => {
  const GONE = async () => ({ gone: true }) as const;
  const answered = async (...steps: ReadonlyArray<Pick<Call, 'method' | 'run'>>) => {
    const clock = new FakeClock(BORN);
    const { calls } = callsFor({ clock });
    const about = { uid: 'u', key: 'herd/m', classKey: 'herd/small', mark: '1' };

    for (const step of steps) {
      calls.start({ ...about, ...step });
      await clock.advance(1_000);
    }
    const { deletion } = calls.fact(about);
    return [calls.vm('u').at, deletion && { ...deletion, at: deletion.at - BORN }];
  };
  const remove = { method: 'deleteMachine', run: GONE } as const;
  const ask = (run: Call['run']) => ({ method: 'getMachineStatus', run }) as const;
  const NONE = ask(failing('NotFound'));

  test.each<[string, ReadonlyArray<Pick<Call, 'method' | 'run'>>, unknown[]]>([
    ['says nothing of whether the VM is gone', [ask(async () => ANSWER), remove], ['unknown', { at: 1_000 }]],
    [
      'without a VM to be found is a denial',
      [{ ...remove, run: failing('NotFound') }],
      ['absent', { at: 0, denied: true }],
    ],
    ['of a VM that was denied before is one, too', [NONE, remove], ['absent', { at: 1_000, denied: true }]],
    ['is done once the driver knows the VM no longer', [remove, NONE], ['absent', { at: 0, heard: true }]],
    ['is not while it is there', [remove, ask(async () => ANSWER)], ['present', { at: 0, heard: true }]],
    ['or while nobody can say so', [remove, ask(failing('Unavailable'))], ['unknown', { at: 0 }]],
    ['counts no longer when another fails', [remove, { ...remove, run: failing('Internal') }], ['unknown', undefined]],
    [
      'says nothing of a VM that is claimed since',
      [remove, { method: 'claimMachine', run: async () => ANSWER }],
      ['present', undefined],
    ],
  ])('%s', async (_what, steps, expected) => expect([...(await answered(...steps))] as unknown[]).toEqual(expected));
});

describe('a creation (hack/decisions/0051 L35, L67, L75)', () => {
  const after = async (run: Call['run'], { cancels = false, told = false, seconds = 60 } = {}) => {
    const clock = new FakeClock(BORN);
    const { calls } = callsFor({ clock });
    const about = { uid: 'u', key: 'herd/m', classKey: 'herd/small', mark: '1' };
    calls.start({ ...about, method: 'createMachine', run });
    await clock.advance(1_000);
    if (cancels) calls.cancel('u');
    await clock.advance(seconds * 1_000);
    if (told) calls.start({ ...about, method: 'getMachineStatus', run: async () => ANSWER });
    await clock.advance(0);
    const { lostAt, known } = calls.fact(about);
    return [lostAt === undefined ? 'certain' : `lost ${(lostAt - BORN) / 1_000}`, known ?? false];
  };
  const hangs: Call['run'] = (signal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const saying =
    (code: Code): Call['run'] =>
    (signal) =>
      new Promise((_, no) => signal.addEventListener('abort', () => no(new DriverError(code, 'context canceled'))));

  type Row = [string, Call['run'], Parameters<typeof after>[1], unknown[]];
  test.each<Row>([
    ['that is answered', async () => ANSWER, {}, ['certain', true]],
    ['that is refused', failing('PermissionDenied'), {}, ['certain', false]],
    ['that is refused for want of room', failing('ResourceExhausted'), {}, ['certain', false]],
    ['that finds room nevertheless', failing('ResourceExhausted'), { told: true }, ['certain', true]],
    ['that fails for good', failing('Internal'), {}, ['certain', false]],
    ['that fails, nobody knows how', failing('Unknown'), {}, ['lost 0', false]],
    ['whose answer is lost', failing('DeadlineExceeded'), {}, ['lost 0', false]],
    ['that is told to give up', hangs, { cancels: true }, ['lost 1', false]],
    ['whose VM is told of later', failing('Unavailable'), { told: true }, ['certain', true]],
    ['that ends without our word', failing('Canceled'), {}, ['lost 0', false]],
    ...(['Canceled', 'Internal', 'InvalidArgument', 'NotFound'] as const).flatMap((code): Row[] => [
      [`that was told to give up, and says ${code}`, saying(code), { cancels: true }, ['lost 1', false]],
      [`whose time is over, and that says ${code}`, saying(code), { seconds: 600 }, ['lost 600', false]],
    ]),
    [
      'that is answered all the same',
      (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(ANSWER))),
      { cancels: true },
      ['certain', true],
    ],
  ])('%s', async (_what, run, how, expected) => expect((await after(run, how)) as unknown[]).toEqual(expected));
});
