import { describe, expect, test } from 'bun:test';
import { configMaps } from '../../controller/runtime/k8s/core.ts';
import { resources } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';
import { useHerd } from './support/herdfixture.ts';

const herd = useHerd();
const CLOUD = 'drover-virtual-cloud';
const RECORD = 'drover.dev/last-applied-provider-spec';

const vmOf = (machine: Machine) => ({ namespace: CLOUD, name: machine.metadata.uid ?? '' });
const tagOf = async (machine: Machine, tag: string) =>
  (await herd.api.get(configMaps, vmOf(machine))).data?.[`tag.${tag}`];
const retag = (machine: Machine, tag: string, value: string | null) =>
  herd.api.patch(configMaps, vmOf(machine), { type: 'merge', body: { data: { [`tag.${tag}`]: value } } });
const uids = (machines: readonly Machine[]) => machines.map(({ metadata }) => metadata.uid).sort();
const conditionOf = ({ status }: Machine) => status?.conditions?.find(({ type }) => type === 'VMUpToDate');
const whenTagged = (machines: readonly Machine[], tag: string, value: string | undefined) =>
  herd.eventually(`VMs with ${tag}=${value}`, async () => {
    const tags = await Promise.all(machines.map((machine) => tagOf(machine, tag)));
    return tags.every((found) => found === value);
  });

describe('a change of hot fields of a class', () => {
  test('reaches every machine of it in place; what others put on a VM survives', async () => {
    await herd.makeClass('tagged', { tags: { team: 'blue', cost: '7' } });
    await herd.makeDeployment({ replicas: 4, class: 'tagged' });
    const before = await herd.whenRunning(4);
    const [first] = before;
    if (!first) throw new Error('there is no machine');
    expect(first.metadata.annotations?.[RECORD]).toBe('{"tags":{"cost":"7","team":"blue"}}');
    await retag(first, 'theirs', 'x');
    await herd.makeClass('tagged', { tags: { team: 'red' } });
    await whenTagged(before, 'team', 'red');
    await whenTagged(before, 'cost', undefined);
    expect(await tagOf(first, 'theirs')).toBe('x');
    await herd.eventually('records of it', async () => {
      const records = (await herd.machines()).map(({ metadata }) => metadata.annotations?.[RECORD]);
      return records.every((record) => record === '{"tags":{"team":"red"}}');
    });
    expect(uids(await herd.whenRunning(4))).toEqual(uids(before));
  });

  test('that fails is shown on the machine that it fails for, which stays Running; the others are updated', async () => {
    await herd.makeClass('partly', {});
    await herd.makeDeployment({ replicas: 3, class: 'partly' });
    const machines = await herd.whenRunning(3);
    const [victim, ...others] = machines;
    if (!victim) throw new Error('there is no machine');
    const { name } = victim.metadata;
    const fault = { method: 'updateMachine', machine: name, answer: 'PermissionDenied' };
    await herd.makeClass('partly', { tags: { team: 'red' }, faults: { calls: [fault] } });
    await herd.kubectl('wait', `mc/${name}`, '--for=condition=VMUpToDate=False', '--timeout=45s');
    await whenTagged(others, 'team', 'red');
    const failed = await herd.api.get(resources.machines, { namespace: herd.namespace, name });
    expect(conditionOf(failed)).toMatchObject({ status: 'False', reason: 'PermissionDenied' });
    expect(failed.status).toMatchObject({
      currentStatus: { phase: 'Running' },
      lastOperation: { type: 'Update', state: 'Failed', errorCode: 'PermissionDenied' },
    });
    expect(failed.status?.errorReason).toBeUndefined();
    await herd.eventually('an event', async () => (await herd.events()).includes('VMUpdateFailed'));
    await herd.makeClass('partly', { tags: { team: 'red' } });
    await herd.kubectl('wait', `mc/${name}`, '--for=condition=VMUpToDate', '--timeout=45s');
    expect(await tagOf(victim, 'team')).toBe('red');
    const mended = await herd.api.get(resources.machines, { namespace: herd.namespace, name });
    expect(mended.status?.lastOperation).toMatchObject({ type: 'Update', state: 'Successful' });
    expect(uids(await herd.whenRunning(3))).toEqual(uids(machines));
  });

  test('that failed half-way and is taken back leaves nothing behind', async () => {
    await herd.makeClass('back', { tags: { team: 'blue' } });
    await herd.apply(herd.alone('half', 'back'));
    const [machine] = await herd.whenRunning(1);
    if (!machine) throw new Error('there is no machine');
    const fault = { method: 'updateMachine', answer: 'Internal', effect: true };
    await herd.makeClass('back', { tags: { team: 'blue', half: 'done' }, faults: { calls: [fault] } });
    await herd.kubectl('wait', 'mc/half', '--for=condition=VMUpToDate=False', '--timeout=45s');
    expect(await tagOf(machine, 'half')).toBe('done');
    await herd.makeClass('back', { tags: { team: 'blue' } });
    await whenTagged([machine], 'half', undefined);
    await herd.kubectl('wait', 'mc/half', '--for=condition=VMUpToDate', '--timeout=45s');
    expect(await tagOf(machine, 'team')).toBe('blue');
  });

  test('reaches a machine without a record once', async () => {
    await herd.makeClass('adopted', { tags: { team: 'blue' } });
    await herd.apply(herd.alone('old', 'adopted'));
    const [machine] = await herd.whenRunning(1);
    if (!machine) throw new Error('there is no machine');
    await retag(machine, 'team', null);
    await herd.kubectl('annotate', 'mc', 'old', `${RECORD}-`);
    await whenTagged([machine], 'team', 'blue');
    await herd.kubectl(
      'wait',
      'mc/old',
      `--for=jsonpath={.metadata.annotations.drover\\.dev/last-applied-provider-spec}={"tags":{"team":"blue"}}`,
      '--timeout=45s',
    );
  });
});

test('updates of a class take turns; those that hang hold up neither the judgement nor the deletion of machines', async () => {
  await herd.makeClass('many', { heartbeat: '0s' });
  await herd.makeDeployment({ replicas: 12, class: 'many' });
  await herd.whenRunning(12);
  await herd.makeClass('many', {
    heartbeat: '0s',
    tags: { team: 'red' },
    faults: { calls: [{ method: 'updateMachine', answer: 'Hang' }] },
  });
  await herd.eventually('ten updates, and two that wait', async () => {
    const reasons = (await herd.machines()).map((machine) => conditionOf(machine)?.reason);
    const count = (reason: string) => reasons.filter((one) => one === reason).length;
    return count('Updating') === 10 && count('WaitingForDriverSlot') === 2;
  });
  expect(await herd.phases()).toEqual({ Running: 12 });
  await herd.kubectl('delete', 'mcd/pool', '--timeout=45s');
  await herd.whenRunning(0);
});

test('a change of hot fields of an inline spec reaches the machine in place', async () => {
  const { apiVersion, kind, metadata } = herd.alone('inline', '');
  const make = (tags: Record<string, string>) =>
    herd.apply({ apiVersion, kind, metadata, spec: { provider: 'virtual', providerSpec: { tags } } });
  await make({ team: 'blue' });
  const before = await herd.whenRunning(1);
  await make({ team: 'red' });
  await whenTagged(before, 'team', 'red');
  expect(uids(await herd.whenRunning(1))).toEqual(uids(before));
});

test('a change of hot fields of an inline spec in a template reaches all its machines in place', async () => {
  const labels = { pool: 'inline' };
  const make = (tags: Record<string, string>) =>
    herd.apply({
      apiVersion: 'machine.sapcloud.io/v1alpha1',
      kind: 'MachineDeployment',
      metadata: { name: 'inline' },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { provider: 'virtual', providerSpec: { tags } } },
      },
    });
  await make({ team: 'blue' });
  const before = await herd.whenRunning(2);
  await make({ team: 'red' });
  await whenTagged(before, 'team', 'red');
  expect(uids(await herd.whenRunning(2))).toEqual(uids(before));
  expect((await herd.sets()).length).toBe(1);
});

test('a tag that a VM lost is set again when the VM is next asked about', async () => {
  await herd.makeClass('drifting', { tags: { team: 'blue' } });
  await herd.apply(herd.alone('drifter', 'drifting'));
  const [machine] = await herd.whenRunning(1);
  if (!machine) throw new Error('there is no machine');
  await retag(machine, 'team', null);
  await herd.restart();
  await whenTagged([machine], 'team', 'blue');
  await herd.eventually('an event', async () => (await herd.events()).includes('RepairVM'));
});
