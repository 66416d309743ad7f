import { describe, expect, test } from 'bun:test';
import type { Machine } from '../../schemas/machine.ts';
import { useHerd } from './support/herdfixture.ts';

const herd = useHerd();

const TRIGGER = 'node.machine.sapcloud.io/trigger-deletion-by-mcm';
const SCALED = 'machine.sapcloud.io/last-deployment-replica-change-by-scaler-time';

/** What a cluster-autoscaler of Gardener's writes, in one update (hack/spec/cluster-api.md E2). */
const scaleDown = (replicas: number, list: string, at?: string) =>
  herd.kubectl(
    'patch',
    'mcd/pool',
    '--type=merge',
    '-p',
    JSON.stringify({ metadata: { annotations: { [TRIGGER]: list, ...(at && { [SCALED]: at }) } }, spec: { replicas } }),
  );
const names = (machines: readonly Machine[]) => machines.map(({ metadata }) => metadata.name).sort();
const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString().replace(/\.\d+/, '');
const whenTidy = () =>
  herd.eventually('the list of victims to be empty', async () =>
    (await herd.deployments()).every(({ metadata }) => metadata.annotations?.[TRIGGER] === undefined),
  );

test('a Node that asks for it is drained and replaced with its Machine now (hack/decisions/0000 3)', async () => {
  await herd.makeDeployment({ replicas: 2 });
  const [victim, other] = await herd.whenRunning(2);
  await herd.kubectl('annotate', 'node', victim?.metadata.labels?.['node'] ?? '', `${TRIGGER}=true`);
  await herd.eventually('the machine to be replaced', async () => {
    const uids = (await herd.machines()).map(({ metadata }) => metadata.uid);
    return uids.length === 2 && !uids.includes(victim?.metadata.uid);
  });
  expect((await herd.whenRunning(2)).map(({ metadata }) => metadata.uid)).toContain(other?.metadata.uid);
  expect(await herd.nodesOf(victim ? [victim] : [])).toEqual([]);
});

test('machines that a deployment names in its spec go in one write with its size, and no others', async () => {
  await herd.makeDeployment({ replicas: 5 });
  const all = names(await herd.whenRunning(5));
  const deleteMachines = [all[0] ?? '', all[2] ?? ''];
  await herd.kubectl(
    'patch',
    'mcd/pool',
    '--type=merge',
    '-p',
    JSON.stringify({ spec: { replicas: 3, deleteMachines } }),
  );
  expect(names(await herd.whenRunning(3))).toEqual(all.filter((name) => !deleteMachines.includes(name)));
  await whenTidy();
  expect((await herd.deployments()).map(({ spec }) => spec.deleteMachines)).toEqual([undefined]);
});

test('a machine that its deployment does not have is passed over, and told (hack/decisions/0051 U46)', async () => {
  await herd.makeDeployment({ replicas: 2 });
  const all = names(await herd.whenRunning(2));
  const spec = { deleteMachines: ['pool-nobody', all[0] ?? ''] };
  await herd.kubectl('patch', 'mcd/pool', '--type=merge', '-p', JSON.stringify({ spec }));
  const said = /MachineDeployment\/pool Warning UnknownVictims .*the deployment has no such machine: pool-nobody;/;
  await herd.eventually('the event', async () => said.test(await herd.events()));
  await herd.eventually('the other that was named to be replaced', async () => {
    const now = names(await herd.machines());
    return now.length === 2 && !now.includes(all[0] ?? '') && now.includes(all[1] ?? '');
  });
});

describe('a scaler that names machines (hack/spec/mcm.md 4.11)', () => {
  test.each([
    ['with times', (victims: string[], at: string) => victims.map((name) => `${name}~${at}`).join(',')],
    ['without times, as older scalers do', (victims: string[]) => victims.join(',')],
  ])('%s gets rid of these, and of no others', async (_what, listOf) => {
    await herd.makeDeployment({ replicas: 5 });
    const all = names(await herd.whenRunning(5));
    const victims = [all[1] ?? '', all[3] ?? ''];
    const at = secondsAgo(0);
    await scaleDown(3, listOf(victims, at), at);
    const left = names(await herd.whenRunning(3));
    expect(left).toEqual(all.filter((name) => !victims.includes(name)));
    await whenTidy();
  });

  test('in several steps gets rid of each of them', async () => {
    await herd.makeDeployment({ replicas: 4 });
    const all = names(await herd.whenRunning(4));
    const [a = '', b = ''] = all;
    await scaleDown(3, `${a}~${secondsAgo(1)}`, secondsAgo(1));
    await scaleDown(2, `${a}~${secondsAgo(1)},${b}~${secondsAgo(0)}`, secondsAgo(0));
    expect(names(await herd.whenRunning(2))).toEqual(all.slice(2));
    await whenTidy();
  });

  test('and nothing of the deployment’s leaves all machines alone', async () => {
    await herd.makeDeployment({ replicas: 2 });
    const all = names(await herd.whenRunning(2));
    await scaleDown(2, `stranger~${secondsAgo(0)},${all[0]}~soon`, secondsAgo(0));
    await whenTidy();
    expect(names(await herd.whenRunning(2))).toEqual(all);
  });
});
