import { expect, test } from 'bun:test';
import { FakeClock } from '../clock.fake.ts';
import { createLog, type Level } from './log.ts';

/** A log and the lines it wrote. */
function logOf(level?: Level) {
  const lines: string[] = [];
  const sink = { write: (line: string) => lines.push(line) };
  const log = createLog({ clock: new FakeClock(), ...(level && { level }), sink });
  return { log, lines, parsed: () => lines.map((line) => JSON.parse(line)) };
}

test('a line is one line of JSON with level, time, fields and message', () => {
  const { log, lines } = logOf();
  log.info('Machine created', { key: 'default/a', note: 'two\nlines' });
  expect(lines).toEqual([
    '{"level":"info","time":"2026-01-01T00:00:00.000000Z","key":"default/a","note":"two\\nlines","msg":"Machine created"}\n',
  ]);
});

test.each<[Level, number]>([
  ['debug', 4],
  ['info', 3],
  ['warn', 2],
  ['error', 1],
])('level %s lets %d of the four levels through', (level, count) => {
  const { log, lines } = logOf(level);
  log.debug('d');
  log.info('i');
  log.warn('w');
  log.error('e');
  expect(lines).toHaveLength(count);
});

test('an error keeps its stack, its own fields and its chain of causes', () => {
  const { log, parsed } = logOf();
  const cause = new TypeError('no route', { cause: new Error('cable cut') });
  log.error('Failed', { error: Object.assign(new Error('get of a failed', { cause }), { status: 500 }) });
  expect(parsed()[0].error).toMatchObject({
    type: 'Error',
    message: 'get of a failed',
    stack: expect.stringContaining('log.test.ts'),
    status: 500,
    cause: { type: 'TypeError', message: 'no route', cause: { message: 'cable cut' } },
  });
});

test('a thrown value that is no error is written as it is', () => {
  const { log, parsed } = logOf();
  log.error('Failed', { error: 'just text' });
  expect(parsed()[0].error).toBe('just text');
});

test('values under the keys of secrets are hidden at every depth, also in errors and in children', () => {
  const { log, lines, parsed } = logOf();
  const object = { data: { key: 'S1' }, items: [{ Token: 'S2' }], name: 'kept' };
  const error = Object.assign(new Error('x'), { details: { password: 'S3' } });
  log.child({ secret: 'S4' }).info('Seen', { object, error });
  expect(lines.join()).not.toMatch(/S\d/);
  expect(parsed()[0]).toMatchObject({ secret: '[hidden]', object: { data: '[hidden]', name: 'kept' } });
  expect(object.data.key).toBe('S1');
});

test('a child adds its fields to each line, also to those of its own children', () => {
  const { log, parsed } = logOf();
  const child = log.child({ controller: 'machine' });
  child.child({ key: 'a' }).info('one');
  child.info('two', { key: 'b' });
  expect(parsed()).toMatchObject([
    { controller: 'machine', key: 'a', msg: 'one' },
    { controller: 'machine', key: 'b', msg: 'two' },
  ]);
});

test('what cannot be JSON does no harm: cycles, big integers, dates, functions', () => {
  const { log, parsed } = logOf();
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  log.info('odd', { cycle, big: 12n, at: new Date(0), run: () => 1, none: undefined });
  expect(parsed()[0]).toMatchObject({ big: 12, at: '1970-01-01T00:00:00.000Z', msg: 'odd' });
});

// hack/decisions/0028 W8
test('what others write is cut: names of a million letters, and lists of a million names', () => {
  const { log, lines } = logOf();
  const long = 'x'.repeat(1e6);
  log.warn('Failed', {
    name: long,
    names: Array<string>(1e6).fill('x'),
    error: new Error(long, { cause: new Error(long) }),
  });
  expect(lines[0]?.length).toBeLessThan(60_000);
});
