import { describe, expect, test } from 'bun:test';
import { LABEL_CLUSTER } from '../../schemas/keys.ts';
import { resources } from '../../schemas/kinds.ts';
import { useHerd } from './support/herdfixture.ts';

/** What slips past admission: here no webhook is registered. */

const herd = useHerd();
const { machines, machineSets, machineDeployments } = resources;

const ref = (name: string) => ({ namespace: herd.namespace, name });
const label = { 'bad label': 'x' };
const nodeTemplate = { metadata: { labels: label } };
const says = 'nodeTemplate.metadata.labels[bad label]';
const warned = (what: string, reason = 'SpecInvalid') =>
  herd.kubectl(
    'get',
    'events',
    `--field-selector=reason=${reason},involvedObject.name=${what},type=Warning`,
    '-o',
    'jsonpath={.items[*].message}',
  );

describe('a spec that cannot come true (hack/decisions/0000 2 and 3)', () => {
  test('makes no VM of a Machine, says why, and is mended in place', async () => {
    const manifest = herd.alone('m', 'small');
    await herd.apply({ ...manifest, spec: { ...(manifest['spec'] as object), nodeTemplate } });
    await herd.kubectl('wait', 'mc/m', '--for=condition=SpecValid=False', '--timeout=45s');
    await herd.eventually('the reason', async () => {
      const { status } = await herd.api.get(machines, ref('m'));
      return status?.currentStep?.name === 'SpecValid' && status.errorReason === 'SpecInvalid';
    });
    expect((await herd.api.get(machines, ref('m'))).status?.errorMessage).toContain(`spec.${says}`);
    await herd.eventually('an event', async () => (await warned('m')).includes(says));
    expect(await herd.vms()).toEqual([]);
    await herd.api.patch(machines, ref('m'), { type: 'merge', body: { spec: { nodeTemplate: null } } });
    await herd.kubectl('wait', 'mc/m', '--for=condition=NodeHealthy', '--timeout=45s');
    await herd.kubectl('wait', 'mc/m', '--for=condition=SpecValid', '--timeout=45s');
  });

  test('leaves a Machine that runs, says what is wrong, and lets it leave', async () => {
    await herd.apply(herd.alone('m', 'small'));
    await herd.whenRunning(1);
    await herd.api.patch(machines, ref('m'), { type: 'merge', body: { spec: { nodeTemplate } } });
    await herd.kubectl('wait', 'mc/m', '--for=condition=SpecValid=False', '--timeout=45s');
    await herd.eventually('an event', async () => (await warned('m')).includes(says));
    expect((await herd.api.get(machines, ref('m'))).status?.currentStatus?.phase).toBe('Running');
    await herd.kubectl('delete', 'mc/m', '--timeout=45s');
  });

  test('stops a set from making machines, and from nothing else', async () => {
    const { apiVersion } = herd.alone('m', 'small');
    const labels = { pool: 'set' };
    const named = { class: { kind: 'MachineClass', name: 'small' } };
    const template = { metadata: { labels }, spec: named };
    const spec = { replicas: 2, selector: { matchLabels: labels }, template };
    await herd.apply({ apiVersion, kind: 'MachineSet', metadata: { name: 'set' }, spec });
    await herd.whenRunning(2);
    const change = (body: object) => herd.api.patch(machineSets, ref('set'), { type: 'merge', body });
    await change({ spec: { replicas: 3, template: { spec: { nodeTemplate } } } });
    await herd.eventually('an event', async () => (await warned('set')).includes(`spec.template.spec.${says}`));
    const { status } = await herd.api.get(machineSets, ref('set'));
    expect(status?.machineSetCondition).toContainEqual(
      expect.objectContaining({ type: 'SpecValid', status: 'False', reason: 'SpecInvalid' }),
    );
    expect(await herd.machines()).toHaveLength(2);
    await change({ spec: { replicas: 1 } });
    await herd.whenRunning(1);
    await change({ spec: { replicas: 2, template: { spec: { nodeTemplate: null } } } });
    await herd.whenRunning(2);
    await herd.eventually('the condition to go', async () => {
      const mended = await herd.api.get(machineSets, ref('set'));
      return mended.status?.machineSetCondition === undefined;
    });
  });

  test('keeps the machines of a deployment that would be rolled to another cluster than its own (hack/decisions/0000 4)', async () => {
    await herd.makeDeployment({ replicas: 1 });
    const [machine] = await herd.whenRunning(1);
    const cluster = (name: string) => ({ labels: { [LABEL_CLUSTER]: name } });
    const body = { metadata: cluster('west'), spec: { template: { metadata: cluster('east') } } };
    await herd.api.patch(machineDeployments, ref('pool'), { type: 'merge', body });
    await herd.kubectl('wait', 'mcd/pool', '--for=condition=SpecValid=False', '--timeout=45s');
    expect((await herd.sets()).length).toBe(1);
    expect((await herd.machines()).map(({ metadata }) => metadata.uid)).toEqual([machine?.metadata.uid]);
  });
});

// hack/decisions/0051 C4
test('a power state of a driver that has none is told, never as fulfilled, and keeps nothing from running or leaving', async () => {
  const manifest = herd.alone('m', 'small');
  await herd.apply({ ...manifest, spec: { ...(manifest['spec'] as object), powerState: 'PoweredOff' } });
  await herd.whenRunning(1);
  await herd.kubectl('wait', 'mc/m', '--for=condition=FieldsSupported=False', '--timeout=45s');
  const { conditions = [], powerState } = (await herd.api.get(machines, ref('m'))).status ?? {};
  const says = 'spec.powerState cannot be set: the driver powers no VM on or off; leave it out';
  expect(conditions).toContainEqual(
    expect.objectContaining({ type: 'FieldsSupported', reason: 'Unsupported', message: says }),
  );
  expect(powerState).toBeUndefined();
  await herd.eventually('an event', async () => (await warned('m', 'Unsupported')).includes(says));
  await herd.api.patch(machines, ref('m'), { type: 'merge', body: { spec: { powerState: null } } });
  await herd.kubectl('wait', 'mc/m', '--for=condition=FieldsSupported', '--timeout=45s');
  await herd.api.patch(machines, ref('m'), { type: 'merge', body: { spec: { powerState: 'PoweredOff' } } });
  await herd.kubectl('delete', 'mc/m', '--timeout=45s');
});
