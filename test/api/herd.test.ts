import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { configMaps, nodes } from '../../controller/runtime/core.ts';
import { controllerOf, keyOf } from '../../controller/runtime/object.ts';
import { resources } from '../../schemas/kinds.ts';
import { controlPlane } from './cluster.ts';
import { type ControllerProcess, startController } from './controller.ts';
import { Herd } from './herd.ts';

const FINALIZER = 'machine.sapcloud.io/machine-controller-manager';

setDefaultTimeout(60_000);

let controller: ControllerProcess;
let herd: Herd;

beforeAll(async () => {
  const cluster = await controlPlane();
  herd = new Herd(cluster, await cluster.namespace('herd'));
  controller = await startController({ cluster, namespace: herd.namespace });
});

afterAll(async () => {
  const lines = await controller.lines();
  expect(await controller.stop()).toBe(0);
  expect(lines.filter((line) => line.includes('Forbidden'))).toEqual([]);
});

beforeEach(async () => {
  await herd.kubectl('delete', 'mcd,mcs,mc', '--all', '--timeout=20s');
  await herd.makeClass('small');
});

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
    await herd.kubectl('wait', 'mc', '--all', '--for=condition=Healthy', '--timeout=10s');
    await herd.kubectl('wait', 'mcd/pool', '--for=condition=Available', '--timeout=10s');
    await herd.kubectl('wait', 'mcd/pool', '--for=jsonpath={.status.readyReplicas}=3', '--timeout=10s');
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
    await herd.kubectl('wait', 'mcd/pool', '--for=condition=Progressing', '--timeout=10s');
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

  test('takes everything along when it is deleted', async () => {
    await herd.makeDeployment({ replicas: 3 });
    const machines = await herd.whenRunning(3);
    await herd.kubectl('delete', 'mcd/pool', '--timeout=20s');
    await herd.whenGone(machines);
  });

  test('replaces a machine that somebody deletes', async () => {
    await herd.makeDeployment({ replicas: 2 });
    const [victim] = await herd.whenRunning(2);
    await herd.kubectl('delete', 'mc', victim?.metadata.name ?? '', '--timeout=20s');
    const after = await herd.whenRunning(2);
    expect(after.map(({ metadata }) => metadata.uid)).not.toContain(victim?.metadata.uid);
    expect(await herd.nodesOf(victim ? [victim] : [])).toEqual([]);
  });
});

describe('a Machine', () => {
  test('whose VM vanished is Failed, never made again, and replaced by its set', async () => {
    await herd.makeDeployment({ replicas: 2 });
    const [victim] = await herd.whenRunning(2);
    const uid = victim?.metadata.uid ?? '';
    await herd.api.delete(configMaps, { namespace: 'drover-virtual-cloud', name: uid });
    await herd.eventually(
      'the machine to be replaced',
      async () => {
        const uids = (await herd.machines()).map(({ metadata }) => metadata.uid);
        expect((await herd.vms()).map(({ metadata }) => metadata.name)).not.toContain(uid);
        return uids.length === 2 && !uids.includes(uid);
      },
      { timeoutMs: 30_000 },
    );
    await herd.whenRunning(2);
    expect(await herd.nodesOf(victim ? [victim] : [])).toEqual([]);
  });

  test('of its own runs, is Failed when its VM vanishes, and stays to be looked at', async () => {
    await herd.apply(alone('lone', 'small'));
    const [machine] = await herd.whenRunning(1);
    await herd.api.delete(configMaps, { namespace: 'drover-virtual-cloud', name: machine?.metadata.uid ?? '' });
    await herd.kubectl('wait', 'mc/lone', '--for=jsonpath={.status.currentStatus.phase}=Failed', '--timeout=20s');
    const failed = await herd.api.get(resources.machines, { namespace: herd.namespace, name: 'lone' });
    expect(failed.status).toMatchObject({ errorReason: 'VmVanished', failureReason: 'VmVanished', phase: 'Failed' });
    expect(failed.spec?.providerID).toBe(`virtual:///${machine?.metadata.uid}`);
    expect(await herd.vms()).toEqual([]);
  });

  test('of a class that no driver here serves is left alone', async () => {
    await herd.makeClass('elsewhere', {}, 'AWS');
    await herd.apply(alone('foreign', 'elsewhere'));
    await herd.apply(alone('ours', 'small'));
    await herd.kubectl('wait', 'mc/ours', '--for=condition=Healthy', '--timeout=10s');
    const foreign = await herd.api.get(resources.machines, { namespace: herd.namespace, name: 'foreign' });
    expect([foreign.metadata.finalizers, foreign.status, foreign.spec?.providerID]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('whose class a driver refuses says why, and goes on when the class is mended', async () => {
    await herd.makeClass('odd', { latencies: {} });
    await herd.apply(alone('m', 'odd'));
    await herd.kubectl(
      'wait',
      'mc/m',
      '--for=jsonpath={.status.currentStatus.phase}=CrashLoopBackOff',
      '--timeout=10s',
    );
    const { status } = await herd.api.get(resources.machines, { namespace: herd.namespace, name: 'm' });
    expect(status).toMatchObject({
      errorReason: 'InvalidArgument',
      lastOperation: { errorCode: 'InvalidArgument', type: 'Create', state: 'Failed' },
    });
    expect(status?.errorMessage).toContain('latencies');
    await herd.api.patch(
      resources.machineClasses,
      { namespace: herd.namespace, name: 'odd' },
      { type: 'merge', body: { providerSpec: { latencies: null } } },
    );
    await herd.kubectl('wait', 'mc/m', '--for=condition=Healthy', '--timeout=10s');
    const mended = await herd.api.get(resources.machines, { namespace: herd.namespace, name: 'm' });
    expect([mended.status?.errorReason, mended.status?.errorMessage]).toEqual([undefined, undefined]);
  });

  test('without its class waits for it, and with a Secret missing for that', async () => {
    await herd.apply(alone('m', 'later'));
    await herd.kubectl('wait', 'mc/m', '--for=jsonpath={.status.deciding.reason}=ClassNotFound', '--timeout=10s');
    await herd.apply({
      apiVersion: 'machine.sapcloud.io/v1alpha1',
      kind: 'MachineClass',
      metadata: { name: 'later' },
      provider: 'virtual',
      providerSpec: {},
      secretRef: { name: 'later' },
    });
    await herd.kubectl('wait', 'mc/m', '--for=jsonpath={.status.deciding.reason}=SecretNotFound', '--timeout=10s');
    await herd.kubectl('create', 'secret', 'generic', 'later', '--from-literal=userData=x');
    await herd.kubectl('wait', 'mc/m', '--for=condition=Healthy', '--timeout=10s');
  });

  test('for which there is no room tells the autoscaler', async () => {
    await herd.makeClass('full', { capacity: 1 });
    await herd.apply(alone('first', 'full'));
    await herd.kubectl('wait', 'mc/first', '--for=condition=Healthy', '--timeout=10s');
    await herd.apply(alone('second', 'full'));
    await herd.kubectl(
      'wait',
      'mc/second',
      '--for=jsonpath={.status.lastOperation.errorCode}=ResourceExhausted',
      '--timeout=10s',
    );
  });

  test('whose Node’s name is taken does not touch the other’s Node', async () => {
    const taken = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: `taken-${herd.namespace}` },
      spec: { providerID: 'other:///1' },
    };
    await herd.api.create(nodes, taken);
    await herd.apply(alone(taken.metadata.name, 'small'));
    await herd
      .kubectl('wait', `mc/${taken.metadata.name}`, '--for=condition=Created=False', '--timeout=10s')
      .catch(() => {});
    await herd.kubectl('delete', 'mc', taken.metadata.name, '--timeout=20s');
    expect((await herd.api.get(nodes, taken.metadata)).spec?.providerID).toBe('other:///1');
    await herd.api.delete(nodes, taken.metadata);
  });

  test('with an inline spec needs no class', async () => {
    const { apiVersion, kind } = alone('inline', '');
    await herd.apply({
      apiVersion,
      kind,
      metadata: { name: 'inline' },
      spec: { provider: 'virtual', providerSpec: {} },
    });
    await herd.kubectl('wait', 'mc/inline', '--for=condition=Healthy', '--timeout=10s');
  });
});

describe('a MachineSet', () => {
  const set = (replicas: number) => ({
    apiVersion: 'machine.sapcloud.io/v1alpha1',
    kind: 'MachineSet',
    metadata: { name: 'set' },
    spec: {
      replicas,
      selector: { matchLabels: { set: 'x' } },
      template: { metadata: { labels: { set: 'x' } }, spec: { class: { kind: 'MachineClass', name: 'small' } } },
    },
  });

  test('adopts a machine that nobody controls, and makes only what is missing', async () => {
    await herd.apply({ ...alone('stray', 'small'), metadata: { name: 'stray', labels: { set: 'x' } } });
    await herd.kubectl('wait', 'mc/stray', '--for=condition=Healthy', '--timeout=10s');
    await herd.apply(set(2));
    const machines = await herd.whenRunning(2);
    const [owner] = await herd.sets();
    expect(machines.map(({ metadata }) => metadata.name)).toContain('stray');
    expect(machines.map((machine) => controllerOf(machine)?.uid)).toEqual([owner?.metadata.uid, owner?.metadata.uid]);
  });

  test('lets go of a machine whose labels no longer match, and replaces it', async () => {
    await herd.apply(set(1));
    const [machine] = await herd.whenRunning(1);
    await herd.kubectl('label', 'mc', machine?.metadata.name ?? '', 'set=y', '--overwrite');
    const both = await herd.whenRunning(2);
    const released = both.find(({ metadata }) => metadata.uid === machine?.metadata.uid);
    expect(released?.metadata.ownerReferences).toBeUndefined();
  });

  test('that selects everything makes nothing', async () => {
    const { spec, ...rest } = set(3);
    await herd.apply({ ...rest, spec: { ...spec, selector: {} } });
    await herd.apply(alone('other', 'small'));
    await herd.kubectl('wait', 'mc/other', '--for=condition=Healthy', '--timeout=10s');
    expect((await herd.machines()).length).toBe(1);
  });
});

test('people see what happened: events on sets and deployments', async () => {
  await herd.makeDeployment({ replicas: 1, name: 'told' });
  await herd.whenRunning(1);
  await herd.eventually('the events', async () => {
    const told = await herd.kubectl('get', 'events', '-o', 'custom-columns=R:.reason,N:.message', '--no-headers');
    return (
      /ScalingMachineSet +Scaled up machine set told-\w+ to 1/.test(told) &&
      /SuccessfulCreate +Created Machine: told-/.test(told)
    );
  });
});

const alone = (name: string, machineClass: string) => ({
  apiVersion: 'machine.sapcloud.io/v1alpha1',
  kind: 'Machine',
  metadata: { name },
  spec: { class: { kind: 'MachineClass', name: machineClass } },
});

const template = (spec: object): string => JSON.stringify({ spec: { template: { spec } } });

async function watchSizes(signal: AbortSignal, seen: (vms: number, running: number) => void): Promise<void> {
  while (!signal.aborted) {
    const [vms, phases] = [await herd.vms(), await herd.phases()];
    seen(vms.length, phases['Running'] ?? 0);
  }
}
