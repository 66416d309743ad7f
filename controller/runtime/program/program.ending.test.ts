import { expect, test } from 'bun:test';
import { EventEmitter } from 'node:events';
import { FakeClock } from '../clock.fake.ts';
import { FakeLog } from '../observability/log.fake.ts';
import { type Endable, endingOf } from './program.ts';

function setUp() {
  const process = Object.assign(new EventEmitter(), {
    exits: [] as number[],
    exit: (code: number) => exits.push(code),
  });
  const { exits } = process;
  const [clock, log] = [new FakeClock(), new FakeLog()];
  return { process, exits, clock, log, ending: endingOf(process as Endable, { log, clock }) };
}

test.each(['SIGTERM', 'SIGINT'])('%s ends a program with its own code', async (signal) => {
  const { process, exits, clock, log, ending } = setUp();
  expect(ending.signal.aborted).toBe(false);
  process.emit(signal);
  expect([ending.signal.reason.message, ending.codeOf(0), log.lines]).toEqual([signal, 0, []]);
  await clock.advance(60_000);
  expect(exits).toEqual([]);
});

test.each(['unhandledRejection', 'uncaughtException'])(
  '%s is logged, and ends it in good order with 1 (hack/decisions/0028 R4)',
  async (event) => {
    const { process, exits, clock, log, ending } = setUp();
    const error = new Error('a mistake');
    process.emit(event, error);
    process.emit(event, 'another');
    expect([ending.signal.aborted, ending.codeOf(0)]).toEqual([true, 1]);
    expect(log.lines.map(({ level, fields }) => [level, fields['error']])).toEqual([
      ['error', error],
      ['error', 'another'],
    ]);
    await clock.advance(19_999);
    expect(exits).toEqual([]);
    await clock.advance(60_000);
    expect(exits).toEqual([1]);
  },
);
