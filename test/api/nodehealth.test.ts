import { describe, expect, test } from 'bun:test';
import { configMaps, nodes } from '../../controller/runtime/k8s/core.ts';
import { resources } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';
import { useHerd } from './support/herdfixture.ts';

const herd = useHerd();

const CRITICAL = { key: 'node.gardener.cloud/critical-components-not-ready', effect: 'NoSchedule' } as const;
const HOOK = 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/test';

const get = (name: string): Promise<Machine> => herd.api.get(resources.machines, { namespace: herd.namespace, name });
const whenPhase = (name: string, phase: string) =>
  herd.kubectl('wait', `mc/${name}`, `--for=jsonpath={.status.currentStatus.phase}=${phase}`, '--timeout=45s');

const is = (type: string, status: string, reason?: string) => ({
  type,
  status,
  ...(reason && { reason }),
  lastTransitionTime: new Date().toISOString(),
});

/** The Node says this and nothing else. */
async function says(name: string, conditions: ReturnType<typeof is>[]): Promise<void> {
  const body = { status: { conditions } };
  await herd.api.patch(nodes, { name }, { type: 'merge', body }, { subresource: 'status' });
}

const taint = (name: string, taints: object[]) =>
  herd.api.patch(nodes, { name }, { type: 'merge', body: { spec: { taints } } });

/** From now on the VM does nothing, nor does it register its Node again. */
async function breakVm(name: string): Promise<void> {
  const vm = { namespace: 'drover-virtual-cloud', name: (await get(name)).metadata.uid ?? '' };
  await herd.api.patch(configMaps, vm, { type: 'merge', body: { data: { broken: 'true' } } });
}

describe('hack/spec/mcm.md Annex B, Health:', () => {
  test('a Node’s conditions make its machine Unknown and Running', async () => {
    await herd.makeClass('quiet', { heartbeat: '0s' });
    await herd.apply(herd.alone('annex-m', 'quiet'));
    await whenPhase('annex-m', 'Running');
    const rows: Array<[conditions: ReturnType<typeof is>[], phase: string]> = [
      [[is('Ready', 'True'), is('KernelDeadlock', 'Unknown')], 'Unknown'],
      [[is('Ready', 'True')], 'Running'],
      [[], 'Unknown'],
      [[is('KernelDeadlock', 'False')], 'Running'],
      [[is('Ready', 'Unknown')], 'Unknown'],
      [[is('Ready', 'True'), is('Other', 'True')], 'Running'],
    ];
    for (const [conditions, phase] of rows) {
      await says('annex-m', conditions);
      await whenPhase('annex-m', phase);
    }
  });

  test('what its Node’s conditions say against it is told, and stays when it is given up (hack/decisions/0051 U44)', async () => {
    await herd.makeClass('quiet', { heartbeat: '0s' });
    await herd.apply(herd.alone('annex-m', 'quiet'));
    await whenPhase('annex-m', 'Running');
    await says('annex-m', [is('Ready', 'True'), is('KernelDeadlock', 'True', 'DockerHung')]);
    await whenPhase('annex-m', 'Unknown');
    const told = (await get('annex-m')).status;
    expect(told?.lastOperation?.description).toBe(
      'Machine annex-m is unhealthy: NodeNotReady - KernelDeadlock is True (DockerHung)',
    );
    expect(told?.currentStep?.message).toBe('KernelDeadlock is True (DockerHung)');
    await herd.kubectl('patch', 'mc/annex-m', '--type=merge', '-p', '{"spec":{"healthTimeout":"1s"}}');
    await whenPhase('annex-m', 'Failed');
    const said = /Machine\/annex-m Warning HealthTimedOut .*KernelDeadlock is True \(DockerHung\)/;
    await herd.eventually('the event', async () => said.test(await herd.events()));
  });

  test('a critical taint keeps a Pending machine Pending, and lets an Unknown one run', async () => {
    await herd.makeClass('critical', { heartbeat: '0s', node: { taints: [CRITICAL] } });
    await herd.apply(herd.alone('annex-m', 'critical'));
    await herd.whenDecided('annex-m', 'CriticalComponentsNotReady');
    expect((await get('annex-m')).status?.currentStatus?.phase).toBe('Pending');
    await taint('annex-m', []);
    await whenPhase('annex-m', 'Running');
    await taint('annex-m', [CRITICAL]);
    await says('annex-m', [is('Ready', 'False')]);
    await whenPhase('annex-m', 'Unknown');
    await says('annex-m', [is('Ready', 'True')]);
    await whenPhase('annex-m', 'Running');
    expect((await herd.api.get(nodes, { name: 'annex-m' })).spec?.taints).toEqual([CRITICAL]);
  });

  test('an Unknown machine without a Node is Failed when its health time-out is over', async () => {
    await herd.apply(herd.alone('annex-m', 'small'));
    await whenPhase('annex-m', 'Running');
    await breakVm('annex-m');
    await whenPhase('annex-m', 'Unknown');
    await herd.api.delete(nodes, { name: 'annex-m' });
    await herd.whenDecided('annex-m', 'NodeNotFound');
    await herd.kubectl('patch', 'mc/annex-m', '--type=merge', '-p', '{"spec":{"healthTimeout":"1s"}}');
    await herd.kubectl('wait', 'mc/annex-m', '--for=jsonpath={.status.failureReason}=HealthTimedOut', '--timeout=45s');
    const { description } = (await get('annex-m')).status?.lastOperation ?? {};
    expect(description).toContain('NodeNotFound');
  });
});

test('hack/spec/cluster-api.md F4 24: a machine that a person deletes counts as one that is being replaced', async () => {
  await herd.makeClass('quiet', { heartbeat: '0s' });
  const template = {
    metadata: { labels: { pool: 'pool' } },
    spec: { class: { kind: 'MachineClass', name: 'quiet' }, healthTimeout: '1s' },
  };
  await herd.makeDeployment({ replicas: 2, template });
  const names = (await herd.whenRunning(2)).map(({ metadata }) => metadata.name);
  const [leaving = '', ill = ''] = names;
  await herd.kubectl('annotate', `mc/${leaving}`, `${HOOK}=`);
  await herd.kubectl('delete', `mc/${leaving}`, '--wait=false');
  await whenPhase(leaving, 'Terminating');
  await says(ill, [is('Ready', 'False')]);
  await herd.whenDecided(ill, 'ReplacementDelayed');
  const { status } = await get(ill);
  expect(status?.currentStatus?.phase).toBe('Unknown');
  expect(status?.conditions?.find(({ type }) => type === 'NodeHealthy')?.message).toContain(leaving);
  await herd.kubectl('annotate', `mc/${leaving}`, `${HOOK}-`);
  await herd.eventually('both to be replaced', async () =>
    (await herd.machines()).every(({ metadata }) => !names.includes(metadata.name)),
  );
  await herd.whenRunning(2);
});
