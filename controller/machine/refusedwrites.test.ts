import { describe, expect, test } from 'bun:test';
import { machine } from '../../test/fixtures/objects.ts';
import { Life } from './life.fixture.ts';

/** hack/decisions/0051 L12: each write that is refused is told on the Machine, and tried again with back-off. */

const SAYS = 'admission webhook "theirs" denied the request: no';
const bare = machine({ metadata: { finalizers: [] } });

/** How the Machine stands at a step, and what is said of what goes on. */
async function told(life: Life, step: string) {
  const { status } = await life.machine();
  const condition = status?.conditions?.find(({ type }) => type === step);
  const { type, state, description = '' } = status?.lastOperation ?? {};
  return { condition: `${condition?.status} ${condition?.reason}`, operation: `${type} ${state}`, description };
}

const refused = (operation: string) => ({
  condition: 'False WriteRefused',
  operation,
  description: expect.stringContaining(SAYS),
});

const finalizer = (write: string) => write.startsWith('PATCH') && write.includes('"finalizers":');
const providerID = (write: string) => write.includes('"spec":{"providerID"');
const ofNode = (write: string) => write.startsWith('DELETE nodes/');

/** A Machine that runs, all of whose writes of this kind are refused from its deletion on. */
async function leaving(is: (write: string) => boolean, status = 403): Promise<Life> {
  const life = new Life();
  await life.pass(5);
  await life.register();
  await life.pass(30);
  life.refuse = (write) => (is(write) ? { status, message: SAYS } : undefined);
  await life.remove();
  return life;
}

describe('a write that is refused', () => {
  test.each([
    ['its finalizer', bare, finalizer, 'FinalizerAdded'],
    ['the id of its VM', machine(), providerID, 'VMCreated'],
  ])('holds a new machine up: %s', async (_what, one, is, step) => {
    const life = new Life({}, { one });
    life.refuse = (write) => (is(write) ? { status: 403, message: SAYS } : undefined);
    await life.pass(300);
    expect(await told(life, step)).toMatchObject(refused('Create Failed'));
    expect(life.events).toContain('WriteRefused');
    // At 0, 5, 15, 35, 75, 155 s.
    expect(life.sent.filter(is)).toHaveLength(6);
    life.refuse = () => undefined;
    await life.register();
    await life.pass(330);
    expect(life.phases.at(-1)).toMatch(/^Running/);
    expect((await told(life, step)).condition).toBe(`True ${step}`);
  });

  test('ends with the time-out of the creation', async () => {
    const life = new Life({}, { one: bare });
    life.refuse = (write) => (finalizer(write) ? { status: 422, message: SAYS } : undefined);
    await life.pass(1_900);
    expect(life.phases.at(-1)).toMatch(/^Failed 12\d\d/);
    expect((await life.machine()).status?.errorReason).toBe('CreationTimedOut');
  });

  test('holds a machine up that leaves: its finalizer', async () => {
    const life = await leaving(finalizer);
    await life.pass(60);
    expect(await told(life, 'FinalizerRemoved')).toMatchObject(refused('Delete Failed'));
    expect(life.events).toContain('WriteRefused');
    life.refuse = () => undefined;
    await life.pass(90);
    expect(await life.left()).toEqual({ machine: false, node: false });
  });

  test('that failed by chance is tried again at once, and told when it fails again', async () => {
    const life = await leaving(finalizer, 500);
    await expect(life.pass(1)).rejects.toThrow(SAYS);
    expect(life.events).not.toContain('WriteRefused');
    await life.pass(1);
    expect(await told(life, 'FinalizerRemoved')).toMatchObject(refused('Delete Failed'));
    expect(life.events).toContain('WriteRefused');
  });

  test('is told by an event where the status is what is refused', async () => {
    const life = new Life();
    life.refuse = (write) => (write.includes('/status') ? { status: 403, message: SAYS } : undefined);
    await expect(life.pass(60)).rejects.toThrow(SAYS);
    expect(life.events).toContain('WriteRefused');
  });
});

// hack/decisions/0051 S24: each step that stands back for a refused write asks for it no more.
describe('writes that are refused for long', () => {
  const nodeTemplate = { metadata: { labels: { pool: 'a' } } };
  const preserve = { 'node.machine.sapcloud.io/preserve': 'now' };
  const forced = { metadata: { labels: { 'force-deletion': 'True' } } };
  const ofNodes = (write: string) => write.includes(' nodes/');
  const ofMachine = (write: string) => write.includes('/machines/m');
  const changed = (life: Life) => life.change({ spec: { nodeTemplate }, metadata: { annotations: preserve } });
  const left = (life: Life) => life.remove();
  const leftByForce = (life: Life) => life.change(forced).then(() => life.remove());

  test.each([
    ['of the Node of a machine that is changed', ofNodes, changed],
    ['of the Node of a machine that leaves', ofNodes, left],
    ['of the Node of a machine that leaves by force', ofNodes, leftByForce],
    ['of a machine that is changed', ofMachine, changed],
    ['of a machine that leaves', ofMachine, left],
    ['of a machine that leaves by force', ofMachine, leftByForce],
  ] as const)('%s are sent a few times in ten minutes', async (_what, isOf, begin) => {
    const life = new Life();
    await life.pass(5);
    await life.register();
    await life.pass(30);
    const is = (write: string) => isOf(write) && !write.includes('/status');
    await begin(life);
    life.refuse = (write) => (is(write) ? { status: 403, message: SAYS } : undefined);
    const from = life.sent.length;
    await life.pass(600);
    const writes = life.sent.slice(from).filter(is);
    const times = writes.map((write) => writes.filter((other) => other === write).length);
    expect(Math.max(...times)).toBeWithin(1, 10);
  });
});

describe('a Node that may not be deleted', () => {
  test('holds its machine up for ten minutes, and then stays', async () => {
    const life = await leaving(ofNode);
    await life.pass(590);
    expect(await told(life, 'NodeDeleted')).toMatchObject(refused('Delete Failed'));
    expect(life.events).toContain('WriteRefused');
    await life.pass(60);
    expect(await life.left()).toEqual({ machine: false, node: true });
    expect(life.sent.filter(ofNode).length).toBeLessThan(10);
  });

  test('goes as soon as it may', async () => {
    const life = await leaving(ofNode);
    await life.pass(100);
    life.refuse = () => undefined;
    await life.pass(100);
    expect(await life.left()).toEqual({ machine: false, node: false });
  });

  test('stays at once when the machine is to go by force', async () => {
    const life = await leaving(ofNode);
    await life.pass(60);
    await life.change({ metadata: { labels: { 'force-deletion': 'True' } } });
    await life.pass(1);
    expect(await life.left()).toEqual({ machine: false, node: true });
  });
});
