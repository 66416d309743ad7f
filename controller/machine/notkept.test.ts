import { describe, expect, test } from 'bun:test';
import { machine, machineClass } from '../../test/fixtures/objects.ts';
import { heldClass, Life } from './life.fixture.ts';

/** hack/decisions/0028 T28: a target, or a webhook, may answer a write with 200 and take it back. */

const labels = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((key) => [key, 'wanted']));
const asking = machine({ spec: { nodeTemplate: { metadata: { labels } } } });

const ofNode = (write: string) => write.startsWith('PATCH nodes/') && !write.startsWith('PATCH nodes/m/status');
const cordon = (write: string) => ofNode(write) && write.includes('"unschedulable":true');
const finalizer = (write: string) => write.startsWith('PATCH') && write.includes('"finalizers":[]');
const providerID = (write: string) => write.includes('"spec":{"providerID"');

/** How the Machine stands at a step. */
async function told(life: Life, step: string) {
  const { status } = await life.machine();
  const { status: is, reason, message } = status?.conditions?.find(({ type }) => type === step) ?? {};
  return `${is} ${reason}: ${message}`;
}

/** A Machine whose Node registers; a look more than so many is a mistake. */
async function joining(takeBack: (write: string) => boolean, most: number): Promise<Life> {
  const life = new Life({}, { one: asking });
  await life.pass(5);
  Object.assign(life, { takeBack, most });
  await life.register();
  await life.pass(30);
  return life;
}

/** One that is deleted, and the writes of whose deletion are taken back. */
async function leaving(takeBack: (write: string) => boolean, most = 500): Promise<Life> {
  const life = await joining(() => false, most);
  Object.assign(life, { takeBack });
  await life.remove();
  return life;
}

test('what the Node does not keep is told, and tried again with back-off', async () => {
  const life = await joining(ofNode, 2_000);
  expect(life.phases.at(-1)).toMatch(/^Running/);
  const says = 'accepted, but not kept: label a, label b, label c and';
  expect(await told(life, 'NodeSynced')).toStartWith(`False WriteRefused: ${says}`);
  expect(life.events).toContain('WriteRefused');
  await life.pass(600);
  // At 5, 35, 95, 215 and 455 s.
  expect(life.sent.filter(ofNode)).toHaveLength(5);
  life.takeBack = () => false;
  await life.pass(600);
  expect(await told(life, 'NodeSynced')).toStartWith('True');
});

const ofCapacity = (write: string) => write.startsWith('PATCH nodes/m/status') && write.includes('"capacity"');

// hack/decisions/0051 L50
describe('capacity that the Node does not keep holds up no label, annotation or taint', () => {
  const taints = [{ key: 'pool', value: 'small', effect: 'NoSchedule' as const }];
  const one = machine({
    spec: { nodeTemplate: { metadata: { labels, annotations: { note: 'x' } }, spec: { taints } } },
  });
  const nodeTemplate = { capacity: {}, virtualCapacity: { 'example.com/fan': '2' } };
  const classes = [machineClass({ metadata: heldClass.metadata, nodeTemplate: nodeTemplate as never })];
  const RECORD = 'node.machine.sapcloud.io/last-applied-virtual-capacity';

  test.each([
    ['taken back', { takeBack: ofCapacity }, { takeBack: () => false }],
    [
      'refused',
      { refuse: (write: string) => (ofCapacity(write) ? { status: 403, message: 'not you' } : undefined) },
      { refuse: () => undefined },
    ],
  ])('because it is %s', async (_how, no, yes) => {
    const life = new Life({}, { one, classes });
    await life.pass(5);
    Object.assign(life, no);
    await life.register();
    await life.pass(60);
    const before = await life.node();
    expect(before.metadata.labels).toMatchObject(labels);
    expect(before.metadata.annotations).toMatchObject({ note: 'x' });
    expect(before.metadata.annotations?.[RECORD]).toBeUndefined();
    expect(before.spec?.taints).toMatchObject(taints);
    expect(await told(life, 'NodeSynced')).toStartWith('False WriteRefused');
    expect(life.sent.filter(ofCapacity).length).toBeLessThan(4);
    Object.assign(life, yes);
    await life.pass(700);
    const { metadata, status } = await life.node();
    expect([metadata.annotations?.[RECORD], status?.capacity?.['example.com/fan']]).toEqual([
      '{"example.com/fan":"2"}',
      '2',
    ]);
    expect(await told(life, 'NodeSynced')).toStartWith('True');
  });
});

describe('a machine that leaves, and whose cordon is taken back', () => {
  test('goes with all others', async () => {
    const life = await leaving(cordon);
    await life.pass(60);
    expect(await life.left()).toEqual({ machine: false, node: false });
    expect(life.events).toContain('WriteRefused');
    expect(life.sent.filter(cordon)).toHaveLength(1);
  });

  test('goes by force', async () => {
    const life = await joining(() => false, 500);
    life.takeBack = cordon;
    await life.change({ metadata: { labels: { 'force-deletion': 'True' } } });
    await life.remove();
    await life.pass(60);
    expect(await life.left()).toEqual({ machine: false, node: false });
  });
});

test('the end of a machine that is taken back is told, and tried again with back-off', async () => {
  const life = await leaving(finalizer, 1_000);
  await life.pass(60);
  expect(life.sent.filter(finalizer).length).toBeLessThan(12);
  expect(life.events).toContain('WriteRefused');
  expect(await told(life, 'FinalizerRemoved')).toStartWith(
    'False WriteRefused: accepted, but not kept: written again and again',
  );
  expect((await life.machine()).status?.lastOperation).toMatchObject({ type: 'Delete', state: 'Failed' });
  life.takeBack = () => false;
  await life.pass(300);
  expect(await life.left()).toEqual({ machine: false, node: false });
});

test('so is the id of its VM', async () => {
  const life = new Life({}, { one: asking });
  Object.assign(life, { takeBack: providerID, most: 500 });
  await life.pass(60);
  expect(life.sent.filter(providerID).length).toBeLessThan(12);
  expect((await life.machine()).status?.lastOperation).toMatchObject({ type: 'Create', state: 'Failed' });
});
