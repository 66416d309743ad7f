import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { configMaps, type Node, nodes } from '../../controller/runtime/k8s/core.ts';
import { resources } from '../../schemas/kinds.ts';
import { useHerd } from './support/herdfixture.ts';
import { Workload } from './support/workload.ts';

const herd = useHerd();
const PREFIX = 'node.machine.sapcloud.io';
const workload = new Workload(herd);

beforeAll(() => herd.kubectl('create', 'serviceaccount', 'default'));

beforeEach(async () => {
  const { spec, ...manifest } = herd.alone('m', 'small');
  await herd.apply({ ...manifest, spec: { ...(spec as object), healthTimeout: '2s' } });
  await herd.whenRunning(1);
  await workload.run('web');
});

afterEach(async () => {
  await workload.clear();
  await herd.kubectl('delete', 'mc', 'm', '--timeout=45s');
});

const machine = () => herd.api.get(resources.machines, { namespace: herd.namespace, name: 'm' });
const node = (): Promise<Node> => herd.api.get(nodes, { name: 'm' });
const condition = async (type: string) => (await node()).status?.conditions?.find((one) => one.type === type);
const reason = async () => (await condition('InPlaceUpdate'))?.reason;
const label = (labels: Record<string, string | null>) => {
  const named = Object.entries(labels).map(([key, value]) => [`${PREFIX}/${key}`, value]);
  const body = { metadata: { labels: Object.fromEntries(named) } };
  return herd.api.patch(nodes, { name: 'm' }, { type: 'merge', body });
};
const select = async () => {
  await label({ 'candidate-for-update': 'true' });
  await herd.eventually('a candidate', async () => (await reason()) === 'CandidateForUpdate');
  await label({ 'selected-for-update': 'true' });
};
const running = async () => (await workload.pods()).map(({ metadata }) => metadata.name);

describe('before an update in place', () => {
  test('the Node is emptied; then the agent may begin', async () => {
    await select();
    await herd.eventually('the agent’s turn', async () => (await reason()) === 'ReadyForUpdate');
    expect(await running()).toEqual([]);
    expect((await node()).spec?.unschedulable).toBe(true);
    expect((await machine()).status?.currentStatus?.phase).toBe('InPlaceUpdating');
    await label({ 'update-result': 'successful' });
    await herd.whenRunning(1);
    expect(await reason()).toBe('UpdateSuccessful');
  });

  test('disruption budgets are respected, and named; a label forces it', async () => {
    await workload.protect('web');
    await select();
    await herd.eventually('the refusal', async () => {
      const { lastOperation } = (await machine()).status ?? {};
      return lastOperation?.type === 'DrainNode' && (lastOperation.description?.includes('web') ?? false);
    });
    expect((await machine()).status).toMatchObject({
      currentStatus: { phase: 'Running' },
      currentStep: { name: 'Reconciled' },
    });
    expect(await running()).toEqual(['web']);
    await herd.kubectl('label', 'mc', 'm', 'force-drain=True');
    await herd.eventually('the agent’s turn', async () => (await reason()) === 'ReadyForUpdate');
    expect(await running()).toEqual([]);
  });

  test('a restart of the controller changes nothing: the clock goes on', async () => {
    await workload.protect('web');
    await select();
    const begun = async () => (await condition('InPlaceUpdate'))?.message?.startsWith('Node is being drained');
    await herd.eventually('the drain', async () => (await begun()) ?? false);
    const before = await condition('InPlaceUpdate');
    await herd.restart();
    await workload.unprotect('web');
    expect(await condition('InPlaceUpdate')).toEqual(before as never);
    await herd.eventually('the agent’s turn', async () => (await reason()) === 'ReadyForUpdate', {
      timeoutMs: 30_000,
      everyMs: 50,
    });
    expect(await running()).toEqual([]);
  });

  test('it can be taken back: the Node is as it was', async () => {
    await workload.protect('web');
    await select();
    await herd.eventually('the cordon', async () => (await node()).spec?.unschedulable === true);
    await label({ 'candidate-for-update': null, 'selected-for-update': null });
    await herd.eventually('the end', async () => (await reason()) === undefined);
    expect((await node()).spec?.unschedulable).toBeUndefined();
    expect(await running()).toEqual(['web']);
    await herd.whenRunning(1);
  });
});

test('the Node of a Failed machine that is preserved is emptied, and tells so', async () => {
  await herd.kubectl('annotate', 'mc', 'm', `${PREFIX}/preserve=when-failed`);
  const name = (await machine()).metadata.uid ?? '';
  const broken = { data: { broken: 'true' } };
  await herd.api.patch(configMaps, { namespace: 'drover-virtual-cloud', name }, { type: 'merge', body: broken });
  const told = async (message: string) => (await condition('Preserved'))?.message?.startsWith(message) ?? false;
  await herd.eventually('the drain', () => told('Node is being drained'));
  // A kubelet that is silent ends no pod.
  expect(await running()).toEqual(['web']);
  await herd.kubectl('label', 'mc', 'm', 'force-drain=True');
  await herd.eventually('the end of the drain', () => told('Preserved node drained successfully.'));
  expect(await running()).toEqual([]);
  expect((await machine()).status?.currentStatus?.phase).toBe('Failed');
  expect((await node()).spec?.unschedulable).toBeUndefined();
});
