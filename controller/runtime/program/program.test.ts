import { afterAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { LOCAL } from '../../../test/fixtures/local.ts';
import { linesOf } from '../client/transport.ts';
import { FakeLog } from '../observability/log.fake.ts';
import { makeRoom, OPEN_REQUESTS, type Startable, warnOfFewRequests } from './program.ts';

/** hack/decisions/0028 R7: the program itself sees to it that a Lease gets through, however many calls hang. */
const { variable } = OPEN_REQUESTS;

describe('a program starts itself anew with room for its requests', () => {
  const sources = { execPath: '/bin/bun', execArgv: ['--smol'], argv: ['/bin/bun', '/drover/main.ts', '--port=1'] };
  const compiled = {
    execPath: '/drover',
    execArgv: [],
    argv: ['bun', '/$bunfs/root/drover', 'controller', '--port=1'],
  };
  test.each<[what: string, Omit<Startable, 'env'>, words: string[]]>([
    ['from sources', sources, ['/bin/bun', '--smol', '/drover/main.ts', '--port=1']],
    ['compiled', compiled, ['/drover', 'controller', '--port=1']],
  ])('%s', (_, found, words) => {
    const calls: unknown[] = [];
    const execve = (...call: unknown[]) => calls.push(call) as never;
    makeRoom({ ...found, env: { HOME: '/root', EMPTY: '', NONE: undefined }, execve });
    expect(calls).toEqual([[found.execPath, words, { HOME: '/root', EMPTY: '', [variable]: '4096' }]]);
    makeRoom({ ...found, env: { [variable]: '512' }, execve });
    expect(calls).toHaveLength(1);
  });

  test('goes on, and says what is missing, where that cannot be done', () => {
    makeRoom({ ...sources, env: {} });
    const execve = () => {
      throw new Error('EACCES');
    };
    makeRoom({ ...sources, env: {}, execve });
    const log = new FakeLog();
    warnOfFewRequests({}, log);
    warnOfFewRequests({ [variable]: '4096' }, log);
    expect(log.lines.map(({ message }) => message)).toEqual([
      'only 256 requests may be open at once: set BUN_CONFIG_MAX_HTTP_REQUESTS=4096 in the environment',
    ]);
  });
});

/** Answers reads of Leases, and nothing else. */
const server = Bun.serve({
  ...LOCAL,
  fetch: ({ url }) =>
    url.includes('/leases/')
      ? Response.json({ metadata: { namespace: 'n', name: 'l', resourceVersion: '1' } })
      : new Promise<Response>(() => {}),
});
afterAll(() => server.stop(true));

/** Starts the program of the fixture with so many calls that hang, in an environment that says nothing of requests. */
async function start(hanging: number, flags: readonly string[] = []) {
  const { [variable]: _, ...env } = process.env;
  const program = join(import.meta.dir, 'program.fixture.ts');
  const child = Bun.spawn([process.execPath, ...flags, program, `http://127.0.0.1:${server.port}`, `${hanging}`], {
    env,
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const lines = linesOf(child.stdout)[Symbol.asyncIterator]();
  const [line = '{}'] = (await lines.next()).value ?? [];
  return { child, told: JSON.parse(line) as { pid: number; read: string } };
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  'a Lease is read beside 300 calls that hang, and %s ends the same process',
  async (signal) => {
    const { child, told } = await start(300);
    expect(told).toEqual({ pid: child.pid, read: 'read' });
    child.kill(signal);
    expect(await child.exited).toBe(7);
  },
);
