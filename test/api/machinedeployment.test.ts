import { describe, expect, test } from 'bun:test';
import { controllerOf, keyOf } from '../../controller/runtime/k8s/object.ts';
import { FINALIZER } from '../../schemas/keys.ts';
import { useHerd } from './support/herdfixture.ts';

const herd = useHerd();

describe('a MachineDeployment', () => {
  test('brings its machines to life', async () => {
    await herd.makeDeployment({ replicas: 3 });
    const machines = await herd.whenRunning(3);
    const joined = await herd.nodesOf(machines);
    for (const machine of machines) {
      const { metadata, spec, status } = machine;
      const node = joined.find(({ metadata: { name } }) => name === metadata.labels?.['node']);
      expect(spec?.providerID).toBe(`virtual:///${metadata.uid}`);
      expect(metadata.finalizers).toEqual([FINALIZER]);
      expect(metadata.annotations?.['machinepriority.machine.sapcloud.io']).toBe('3');
      expect(status?.lastOperation).toMatchObject({ type: 'Create', state: 'Successful' });
      expect(status?.nodeRef).toEqual({ name: metadata.name, uid: node?.metadata.uid });
      expect(node?.spec?.providerID).toBe(spec?.providerID);
      expect(controllerOf(machine)?.kind).toBe('MachineSet');
    }
    await herd.kubectl('wait', 'mc', '--all', '--for=condition=NodeHealthy', '--timeout=45s');
    await herd.kubectl('wait', 'mcd/pool', '--for=condition=Available', '--timeout=45s');
    await herd.kubectl('wait', 'mcd/pool', '--for=jsonpath={.status.readyReplicas}=3', '--timeout=45s');
  });

  test('is scaled by kubectl scale, up and down and to nothing', async () => {
    await herd.makeDeployment({ replicas: 1 });
    const before = await herd.whenRunning(1);
    await herd.kubectl('scale', 'mcd/pool', '--replicas=4');
    const more = await herd.whenRunning(4);
    expect(more.map(keyOf)).toContain(keyOf(before[0] as (typeof before)[0]));
    await herd.kubectl('scale', 'mcd/pool', '--replicas=2');
    const fewer = await herd.whenRunning(2);
    expect((await herd.nodesOf(more)).length).toBe(fewer.length);
    await herd.kubectl('scale', 'mcd/pool', '--replicas=0');
    await herd.whenRunning(0);
    expect(await herd.nodesOf(more)).toEqual([]);
  });

  test('rolls out a new template without ever leaving its limits', async () => {
    await herd.makeClass('large', { node: { labels: { size: 'large' } } });
    await herd.makeDeployment({ replicas: 3, strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } });
    const old = await herd.whenRunning(3);
    let [most, least] = [0, 3];
    const watching = new AbortController();
    const watched = watchSizes(watching.signal, (vms, running) => {
      most = Math.max(most, vms);
      least = Math.min(least, running);
    });
    await herd.kubectl(
      'patch',
      'mcd/pool',
      '--type=merge',
      '-p',
      template({ class: { kind: 'MachineClass', name: 'large' } }),
    );
    await herd.eventually('the roll to end', async () => {
      const machines = await herd.machines();
      return machines.length === 3 && machines.every(({ spec }) => spec?.class?.name === 'large');
    });
    const fresh = await herd.whenRunning(3);
    watching.abort();
    await watched;
    expect(most).toBeLessThanOrEqual(4);
    expect(least).toBeGreaterThanOrEqual(3);
    expect(await herd.nodesOf(old)).toEqual([]);
    expect((await herd.nodesOf(fresh)).map(({ metadata }) => metadata.labels?.['size'])).toEqual([
      'large',
      'large',
      'large',
    ]);
    const sizes = (await herd.sets()).map(({ spec }) => spec?.replicas).sort();
    expect(sizes).toEqual([0, 3]);
    await herd.kubectl('wait', 'mcd/pool', '--for=condition=Progressing', '--timeout=45s');
  });

  test('recreates: no machine of the new template before all old ones are gone', async () => {
    await herd.makeClass('large');
    await herd.makeDeployment({ replicas: 2, strategy: { type: 'Recreate' } });
    await herd.whenRunning(2);
    await herd.kubectl(
      'patch',
      'mcd/pool',
      '--type=merge',
      '-p',
      template({ class: { kind: 'MachineClass', name: 'large' } }),
    );
    let mixed = false;
    await herd.eventually('both machines of the new class', async () => {
      const classes = (await herd.machines()).map(({ spec }) => spec?.class?.name);
      mixed ||= new Set(classes).size > 1;
      return classes.length === 2 && classes.every((name) => name === 'large');
    });
    expect(mixed).toBe(false);
    await herd.whenRunning(2);
  });

  test('carries settings to machines that exist, without replacing them', async () => {
    await herd.makeDeployment({ replicas: 2 });
    const before = (await herd.whenRunning(2)).map(({ metadata }) => metadata.uid).sort();
    await herd.kubectl('patch', 'mcd/pool', '--type=merge', '-p', template({ drainTimeout: '42m' }));
    await herd.eventually('the new time-out', async () =>
      (await herd.machines()).every(({ spec }) => spec?.drainTimeout === '42m'),
    );
    expect((await herd.whenRunning(2)).map(({ metadata }) => metadata.uid).sort()).toEqual(before);
  });

  // hack/decisions/0051 S11, C1
  test('that is to keep its VMs says so to all machines, and replaces none', async () => {
    await herd.makeDeployment({ replicas: 2 });
    const before = await herd.whenRunning(2);
    for (const deletionPolicy of ['Retain', 'Delete']) {
      await herd.kubectl('patch', 'mcd/pool', '--type=merge', '-p', template({ deletionPolicy }));
      await herd.eventually('the machines to know', async () =>
        (await herd.machines()).every(({ spec }) => spec?.deletionPolicy === deletionPolicy),
      );
    }
    const uids = (machines: typeof before) => machines.map(({ metadata }) => metadata.uid).sort();
    expect(uids(await herd.whenRunning(2))).toEqual(uids(before));
    expect((await herd.sets()).length).toBe(1);
  });

  test('takes everything along when it is deleted', async () => {
    await herd.makeDeployment({ replicas: 3 });
    const machines = await herd.whenRunning(3);
    await herd.kubectl('delete', 'mcd/pool', '--timeout=45s');
    await herd.whenGone(machines);
  });

  test('replaces a machine that somebody deletes', async () => {
    await herd.makeDeployment({ replicas: 2 });
    const [victim] = await herd.whenRunning(2);
    await herd.kubectl('delete', 'mc', victim?.metadata.name ?? '', '--timeout=45s');
    const after = await herd.whenRunning(2);
    expect(after.map(({ metadata }) => metadata.uid)).not.toContain(victim?.metadata.uid);
    expect(await herd.nodesOf(victim ? [victim] : [])).toEqual([]);
  });
});

test('people see what happened: events on sets and deployments', async () => {
  await herd.makeDeployment({ replicas: 1, name: 'told' });
  await herd.whenRunning(1);
  await herd.eventually('the events', async () => {
    const told = await herd.events();
    return (
      /ScalingMachineSet +Scaled up machine set told-\w+ to 1/.test(told) &&
      /SuccessfulCreate +Created Machine: told-/.test(told)
    );
  });
});

test('people see that a rollout stands still for longer than its deadline', async () => {
  await herd.makeClass('never', { faults: { vms: [{ fate: 'NeverJoins' }] } });
  await herd.makeDeployment({ replicas: 1, name: 'stuck', class: 'never', progressDeadlineSeconds: 1 });
  await herd.eventually('the event', async () => {
    const told = await herd.kubectl(
      'get',
      'events',
      '-o',
      'custom-columns=R:.reason,N:.involvedObject.name',
      '--no-headers',
    );
    return /ProgressDeadlineExceeded +stuck/.test(told);
  });
});

const template = (spec: object): string => JSON.stringify({ spec: { template: { spec } } });

async function watchSizes(signal: AbortSignal, seen: (vms: number, running: number) => void): Promise<void> {
  while (!signal.aborted) {
    const [vms, phases] = [await herd.vms(), await herd.phases()];
    seen(vms.length, phases['Running'] ?? 0);
  }
}
