import { describe, expect, test } from 'bun:test';
import { Life } from './life.fixture.ts';

/**
 * hack/decisions/0051 L70: a webhook may say no with 409 or 429 as well as with 403, for hours, and a server whose priority levels are
 * full says 429. A machine is held up by that no longer than by 403, and it is told.
 */

const CORDON = /^PATCH nodes\/m /;
const NODE_GOES = /^DELETE nodes\/m /;
const ENDS = /^PATCH namespaces\/herd\/machines\/m .*"finalizers":\[\]/;
const STATUS = /^PATCH namespaces\/herd\/machines\/m\/status /;
const HOUR = 3_600;
const codes = test.each([403, 409, 429, 500]);
const forced = { 'force-deletion': 'True' };

/** Refuses what is like this, the first so many times. */
const refusing = (life: Life, what: RegExp, { status, times = Infinity }: { status: number; times?: number }): void => {
  let left = times;
  life.refuse = (write) => (what.test(write) && left-- > 0 ? { status, message: 'not today' } : undefined);
};

/** A machine that runs, and is deleted while such writes are refused. */
async function leaving(what: RegExp, no: { status: number; times?: number }, labels = {}): Promise<Life> {
  const life = new Life();
  life.backsOff = true;
  await life.pass(30);
  await life.register();
  await life.pass(600);
  await life.change({ metadata: { labels } });
  refusing(life, what, no);
  await life.remove();
  return life;
}

const isLeft = async (life: Life) => (await life.left()).machine;

async function conditionOf(life: Life, step: string) {
  const { status } = await life.machine();
  const { status: is, reason } = status?.conditions?.find(({ type }) => type === step) ?? {};
  return `${is} ${reason}`;
}

describe('a Node that may not be cordoned', () => {
  codes('(%p) is told of, and keeps its machine no longer than a drain may take', async (status) => {
    const life = await leaving(CORDON, { status });
    await life.pass(300);
    expect(life.events).toContain('WriteRefused');
    await life.pass(3 * HOUR);
    expect(await isLeft(life)).toBe(false);
  });

  codes('(%p) keeps no machine that is to go by force', async (status) => {
    const life = await leaving(CORDON, { status }, forced);
    await life.pass(300);
    expect(await isLeft(life)).toBe(false);
  });
});

// hack/decisions/0051 L89
test('a Node that is not cordoned because the server does not know us for now (401) holds up no machine that is to go by force', async () => {
  const life = await leaving(CORDON, { status: 401 }, forced);
  await life.pass(20);
  expect([await isLeft(life), life.events.includes('WriteRefused')]).toEqual([false, true]);
});

describe('a Node that may not be deleted', () => {
  test('keeps its machine for some ten minutes where that was judged', async () => {
    const life = await leaving(NODE_GOES, { status: 403 });
    await life.pass(300);
    expect(await conditionOf(life, 'NodeDeleted')).toBe('False WriteRefused');
    await life.pass(900);
    expect(await life.left()).toEqual({ machine: false, node: true });
    expect(life.sent.filter((write) => NODE_GOES.test(write)).length).toBeLessThan(20);
  });

  // hack/decisions/0051 L78
  test.each([409, 429, 500])(
    'keeps it, and tells of that, while nobody has judged (%p), and goes in the end',
    async (status) => {
      const life = await leaving(NODE_GOES, { status });
      await life.pass(300);
      expect(await conditionOf(life, 'NodeDeleted')).toBe('False WriteRefused');
      await life.pass(HOUR);
      expect(await life.left()).toEqual({ machine: true, node: true });
      expect(life.sent.filter((write) => NODE_GOES.test(write)).length).toBeLessThan(30);
      life.refuse = () => undefined;
      await life.pass(600);
      expect(await life.left()).toEqual({ machine: false, node: false });
    },
  );

  test('has its ten minutes from when it was judged first', async () => {
    const life = await leaving(NODE_GOES, { status: 429 });
    await life.pass(HOUR);
    refusing(life, NODE_GOES, { status: 403 });
    await life.pass(600);
    life.refuse = () => undefined;
    await life.pass(600);
    expect(await life.left()).toEqual({ machine: false, node: false });
  });

  codes('(%p) keeps none that is to go by force', async (status) => {
    const life = await leaving(NODE_GOES, { status }, forced);
    await life.pass(200);
    expect(await life.left()).toEqual({ machine: false, node: true });
  });
});

codes('the end of a machine that is refused for hours (%p) is told, and tried again', async (status) => {
  const life = await leaving(ENDS, { status });
  await life.pass(HOUR);
  expect(await conditionOf(life, 'FinalizerRemoved')).toBe('False WriteRefused');
  expect(life.sent.filter((write) => ENDS.test(write)).length).toBeWithin(8, 25);
  life.refuse = () => undefined;
  await life.pass(600);
  expect(await isLeft(life)).toBe(false);
});

codes('a status that is refused for hours (%p) is told of', async (status) => {
  const life = new Life();
  life.backsOff = true;
  refusing(life, STATUS, { status });
  await life.pass(HOUR);
  expect(life.events).toContain('WriteRefused');
});

describe('a conflict that a fresh read resolves is not told, and holds nothing up', () => {
  test.each([
    ['of the Node’s cordon', CORDON],
    ['of the Node’s deletion', NODE_GOES],
    ['of the end of the machine', ENDS],
    ['of the status', STATUS],
  ])('%s', async (_what, what) => {
    for (const labels of [{}, forced]) {
      const life = await leaving(what, { status: 409, times: 5 }, labels);
      await life.pass(20);
      expect(await life.left()).toEqual({ machine: false, node: false });
      expect(life.events).not.toContain('WriteRefused');
    }
  });
});

// hack/decisions/0051 L119
describe('a status that is refused holds up no deletion of a machine whose Node is on no record yet', () => {
  codes('(%p): with an empty Node', async (status) => {
    const life = new Life();
    life.backsOff = true;
    await life.pass(0.5);
    await life.register();
    refusing(life, STATUS, { status });
    await life.remove();
    await life.pass(900);
    expect(await life.left()).toEqual({ machine: false, node: false });
  });
});
