import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { pods } from '../../controller/runtime/k8s/workload.ts';
import { resources } from '../../schemas/kinds.ts';
import type { MachineDrainRule } from '../../schemas/machinedrainrule.ts';
import { type ControllerProcess, startController } from './support/controllerprocess.ts';
import { type OwnCluster, ownControlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';
import { startRegistered, type WebhookProcess } from './support/webhookprocess.ts';
import { Workload } from './support/workload.ts';

/** hack/decisions/0056: how people say in which order pods leave, and which do not. */

setDefaultTimeout(180_000);
const herd = new Herd();
const workload = new Workload(herd);
let cluster: OwnCluster;
let controller: ControllerProcess;
let webhook: WebhookProcess;

beforeAll(async () => {
  cluster = await ownControlPlane();
  webhook = await startRegistered(cluster);
  herd.settle(cluster, await cluster.namespace('drainrules'));
  await herd.kubectl('create', 'serviceaccount', 'default');
  // Of all namespaces: that rules of another one do not count is not because nobody sees them.
  controller = await startController({ cluster, namespace: '', flags: ['--leader-elect=false'] });
  await controller.working();
});

beforeEach(async () => {
  await herd.makeClass('small');
  await herd.apply(herd.alone('m', 'small', { os: 'linux' }));
  await herd.whenRunning(1);
});

afterEach(async () => {
  await workload.clear();
  await herd.kubectl('label', 'mc', '--all', 'force-deletion=true', '--overwrite').catch(() => {});
  await herd.kubectl('delete', 'mc', '--all', '--timeout=45s');
  await herd.kubectl('delete', 'mdr', '--all');
});

afterAll(async () => {
  const lines = await controller?.lines();
  await controller?.kill();
  await webhook?.stop();
  await cluster?.end();
  expect(lines?.filter((line) => line.includes('Forbidden'))).toEqual([]);
});

const rule = (name: string, spec: MachineDrainRule['spec']) =>
  herd.apply({ apiVersion: 'drover.dev/v1alpha1', kind: 'MachineDrainRule', metadata: { name }, spec });
const app = (name: string) => [{ selector: { matchLabels: { app: name } } }];
const leave = () => herd.kubectl('delete', 'mc', 'm', '--wait=false');
const gone = () => herd.kubectl('wait', 'mc/m', '--for=delete', '--timeout=45s');
const there = async () => (await workload.pods()).map(({ metadata }) => metadata.name).toSorted();
const reports = async () =>
  (await herd.api.get(resources.machines, { namespace: herd.namespace, name: 'm' })).status?.deletion?.drain?.pods ??
  [];

/** Waits until the status says this of the pods, such as `a Waiting`. */
const told = (...expected: string[]) =>
  herd.eventually(`pods ${expected}`, async () =>
    Bun.deepEquals(
      (await reports()).map(({ name, result }) => `${name.split('/')[1]} ${result}`),
      expected,
    ),
  );
/** What the status says of the pod. */
const why = async (name: string) => (await reports()).find((one) => one.name === `${herd.namespace}/${name}`)?.reason;
const letGo = (name: string) =>
  herd.api.patch(
    pods,
    { namespace: herd.namespace, name },
    { type: 'merge', body: { metadata: { finalizers: null } } },
  );

describe('a rule of the Machine’s namespace', () => {
  test('makes pods leave in waves: the next when the one before is gone', async () => {
    await rule('last', { drain: { behavior: 'Drain', order: 10 }, pods: app('logs') });
    await rule('first', { drain: { behavior: 'Drain', order: -10 }, pods: app('front') });
    await workload.run('front', { finalizer: true });
    await workload.run('web', { finalizer: true });
    await workload.run('logs');
    await leave();
    await told('front Leaving', 'logs Waiting', 'web Waiting');
    expect(await why('logs')).toBe('is of order 10 by MachineDrainRule last: those of order -10 leave first');
    await letGo('front');
    await told('web Leaving', 'logs Waiting');
    expect(await there()).toEqual(['logs', 'web']);
    await letGo('web');
    await gone();
    expect(await there()).toEqual([]);
  });

  test('lets pods be, whose VM goes all the same', async () => {
    await rule('cache', { drain: { behavior: 'Skip' }, pods: app('cache') });
    await workload.run('cache');
    await workload.run('web', { finalizer: true });
    await leave();
    await told('web Leaving', 'cache Skipped');
    expect(await why('cache')).toBe('by MachineDrainRule cache');
    await letGo('web');
    await gone();
    expect([await there(), await herd.vms()]).toEqual([['cache'], []]);
  });

  // hack/decisions/0051 L31
  test('may skip a pod: that is not deleted when time is over, though more rules than are looked at hold the drain', async () => {
    const spec: MachineDrainRule['spec'] = { drain: { behavior: 'Skip' }, pods: app('db') };
    const base = { apiVersion: 'drover.dev/v1alpha1', kind: 'MachineDrainRule', spec };
    for (let at = 0; at <= 100; at++) {
      const metadata = { namespace: herd.namespace, name: `r${at}` };
      await herd.api.create(resources.machineDrainRules, { ...base, metadata });
    }
    await workload.run('db');
    await herd.kubectl('patch', 'mc', 'm', '--type=merge', '-p', '{"spec":{"drainTimeout":"3s"}}');
    await leave();
    await herd.whenDecided('m', 'DrainRulesUndecided');
    await gone();
    expect([await there(), await herd.vms()]).toEqual([['db'], []]);
  });

  test('has the drain wait for a pod until it has completed', async () => {
    await rule('jobs', { drain: { behavior: 'WaitCompleted' }, pods: app('job') });
    await workload.run('job');
    await workload.run('web');
    await leave();
    await told('job Waiting');
    expect([await why('job'), await there()]).toEqual(['is to complete, by MachineDrainRule jobs', ['job']]);
    const machine = await herd.api.get(resources.machines, { namespace: herd.namespace, name: 'm' });
    expect(machine.status?.currentStep).toMatchObject({ name: 'Drained', reason: 'PodsCompleting' });
    const done = { type: 'merge', body: { status: { phase: 'Succeeded' } } } as const;
    await herd.api.patch(pods, { namespace: herd.namespace, name: 'job' }, done, { subresource: 'status' });
    await gone();
  });

  test('counts in a drain that is under way', async () => {
    await workload.run('a');
    await workload.protect('a');
    await leave();
    await told('a Refused');
    await rule('let-be', { drain: { behavior: 'Skip' }, machines: [{ selector: { matchLabels: { os: 'linux' } } }] });
    await gone();
    expect(await there()).toEqual(['a']);
  });

  test('picks pods by labels of their namespace, and Machines by their own', async () => {
    await herd.kubectl('label', 'namespace', herd.namespace, 'team=blue', '--overwrite');
    await rule('a', { drain: { behavior: 'Skip' }, machines: [{ selector: { matchLabels: { os: 'windows' } } }] });
    await rule('b', {
      drain: { behavior: 'WaitCompleted' },
      pods: [{ namespaceSelector: { matchLabels: { team: 'blue' } } }],
    });
    await workload.run('web');
    await leave();
    await told('web Waiting');
    expect(await why('web')).toBe('is to complete, by MachineDrainRule b');
  });
});

test('a rule of another namespace counts for nobody here', async () => {
  const other = await cluster.namespace('others');
  await herd.api.create(resources.machineDrainRules, {
    apiVersion: 'drover.dev/v1alpha1',
    kind: 'MachineDrainRule',
    metadata: { namespace: other, name: 'all' },
    spec: { drain: { behavior: 'Skip' } },
  });
  await workload.run('web');
  await leave();
  await gone();
  expect(await there()).toEqual([]);
});

test.each(['drover.dev/drain', 'cluster.x-k8s.io/drain'])('a pod says it by its label %s', async (key) => {
  await rule('all', { drain: { behavior: 'Drain', order: 5 } });
  await workload.run('cache', { labels: { [key]: 'skip' } });
  await workload.run('job', { labels: { [key]: 'wait-completed' } });
  await leave();
  await told('job Waiting', 'cache Skipped');
  expect(await why('job')).toBe(`is to complete, by its label ${key}`);
});

describe('kubectl apply --dry-run=server', () => {
  const dry = async (spec: object): Promise<string> => {
    const stdin = JSON.stringify({
      apiVersion: 'drover.dev/v1alpha1',
      kind: 'MachineDrainRule',
      metadata: { name: 'a' },
      spec,
    });
    const { stderr, stdout } = await cluster.kubectl(['-n', herd.namespace, 'apply', '--dry-run=server', '-f', '-'], {
      stdin,
    });
    return stderr || stdout;
  };

  test.each([
    [{ drain: { behavior: 'Skip', order: 1 } }, 'spec.drain.order: Invalid value: only pods with behavior Drain'],
    [{ drain: { behavior: 'Evict' } }, 'spec.drain.behavior: Unsupported value: "Evict"'],
    [{ drain: { behavior: 'Skip' }, pods: [] }, 'spec.pods: Invalid value'],
    [
      { drain: { behavior: 'Skip' }, pods: [{ selector: { matchLabels: { a: '-' } } }] },
      'spec.pods[0].selector.matchLabels[a]: is not a label value',
    ],
  ])('refuses %j', async (spec, says) => {
    expect(await dry(spec)).toContain(says);
  });

  test('takes the examples', async () => {
    const file = join(import.meta.dir, '../../schemas/examples/drain-rules.yaml');
    expect(await herd.kubectl('apply', '--dry-run=server', '-f', file)).toContain('30-logs created');
  });
});
