import { expect, test } from 'bun:test';
import { getPriority } from 'node:os';
import { runStages } from './run.ts';
import { programStage, type Stage } from './stage.ts';

const going = () => new AbortController().signal;
const passed = { passed: 1, failed: 0, skipped: 0 };

test('a patient stage runs beside those that follow it, and counts with them', async () => {
  const order: string[] = [];
  const followed = Promise.withResolvers<void>();
  const patient: Stage = {
    name: 'patient',
    shows: '',
    patient: true,
    async run(_signal, print) {
      await followed.promise;
      print?.('said');
      order.push('patient');
      return { passed: 0, failed: 1, skipped: 0, failures: ['patient'] };
    },
  };
  const next: Stage = {
    name: 'next',
    shows: '',
    async run(_signal, print) {
      expect(print).toBeUndefined();
      order.push('next');
      followed.resolve();
      return passed;
    },
  };
  expect(await runStages([patient, next], going())).toEqual({
    passed: 1,
    failed: 1,
    skipped: 0,
    failures: ['patient'],
  });
  expect(order).toEqual(['next', 'patient']);
});

test('a patient stage that nothing follows prints as it likes', async () => {
  let printed: unknown = 'nothing';
  const run: Stage['run'] = async (_signal, print) => {
    printed = print;
    return passed;
  };
  const last: Stage = { name: 'last', shows: '', patient: true, run };
  expect(await runStages([last], going())).toEqual(passed);
  expect(printed).toBeUndefined();
});

test('what follows a failed stage runs, and nothing after an interruption', async () => {
  const ending = new AbortController();
  const ran: string[] = [];
  const stage = (name: string): Stage => ({
    name,
    shows: '',
    async run() {
      ran.push(name);
      if (name === 'second') ending.abort();
      return { passed: 0, failed: 1, skipped: 0 };
    },
  });
  await runStages(['first', 'second', 'third'].map(stage), ending.signal);
  expect(ran).toEqual(['first', 'second']);
});

test('a patient program leaves the processors to others', async () => {
  const lines: string[] = [];
  const script = "import { getPriority } from 'node:os'; console.log(getPriority())";
  await programStage('trial', ['-e', script], { patient: true }).run(going(), (line) => lines.push(line));
  expect(lines).toEqual([String(Math.min(getPriority() + 19, 19))]);
});
