import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { resources } from '../../schemas/kinds.ts';
import { expectGolden } from '../golden.ts';
import { useHerd } from './support/herdfixture.ts';

const herd = useHerd();
const golden = (name: string) => join(import.meta.dir, 'testdata/seen', name);

/** Events of an object as `TYPE REASON`. */
async function eventsOf(kind: string, name: string): Promise<string[]> {
  const lines = (await herd.events()).split('\n').filter((line) => line.startsWith(`${kind}/${name} `));
  return lines.map((line) => line.split(' ').slice(1, 3).join(' '));
}

/** Waits for an event on the object with this reason, and answers all of them in no order. */
async function whenTold(kind: string, name: string, reason: string): Promise<string[]> {
  await herd.eventually(`the event ${reason}`, async () =>
    (await eventsOf(kind, name)).some((event) => event.endsWith(` ${reason}`)),
  );
  return (await eventsOf(kind, name)).sort();
}

describe('kubectl', () => {
  test('shows which step decides, and why, and explains a waiting machine', async () => {
    await herd.makeClass('full', { capacity: 0 });
    await herd.apply(herd.alone('waiting', 'full'));
    await herd.apply(herd.alone('well', 'small'));
    await herd.whenDecided('waiting', 'ResourceExhausted');
    await herd.kubectl('wait', 'mc/well', '--for=condition=NodeHealthy', '--timeout=45s');
    await whenTold('Machine', 'waiting', 'ResourceExhausted');
    await expectGolden(golden('get.txt'), steady(await herd.kubectl('get', 'mc')));
    await expectGolden(golden('get-wide.txt'), steady(await herd.kubectl('get', 'mc', '-o', 'wide')));
    await expectGolden(golden('describe.txt'), telling(steady(await herd.kubectl('describe', 'mc', 'waiting'))));
  });
});

describe('kubectl get', () => {
  test('shows the columns of MCM for owners, and more with -o wide', async () => {
    await herd.makeDeployment({ replicas: 1 });
    await herd.whenRunning(1);
    await herd.kubectl('wait', 'mcd/pool', '--for=jsonpath={.status.availableReplicas}=1', '--timeout=45s');
    await herd.kubectl('wait', 'mcs', '--all', '--for=jsonpath={.status.availableReplicas}=1', '--timeout=45s');
    const hashed = (text: string) => steady(text).replaceAll(/pool-\w+/g, 'pool-HASH');
    const shown = async (...args: string[]) => hashed(await herd.kubectl('get', ...args));
    const text = [await shown('mcd'), await shown('mcd', '-o=wide'), await shown('mcs'), await shown('mcs', '-o=wide')];
    await expectGolden(golden('get-owners.txt'), text.join('\n'));
  });
});

describe('events tell', () => {
  test('the life of a machine, each transition once', async () => {
    await herd.apply(herd.alone('seen-m', 'small'));
    await herd.whenRunning(1);
    expect(await whenTold('Machine', 'seen-m', 'Running')).toEqual(['Normal RecordVM', 'Normal Running']);
    await herd.kubectl('delete', 'mc/seen-m', '--timeout=45s');
    const last = await whenTold('Machine', 'seen-m', 'RemoveFinalizer');
    for (const event of ['Normal RecordVM', 'Normal Running', 'Normal DeleteNode', 'Normal RemoveFinalizer'])
      expect(last.filter((one) => one === event)).toHaveLength(1);
    expect(new Set(last).size).toBe(last.length);
  });

  test('what a machine waits for', async () => {
    await herd.apply(herd.alone('classless', 'later'));
    expect(await whenTold('Machine', 'classless', 'ClassNotFound')).toEqual(['Warning ClassNotFound']);
  });

  test('of a priority that is ignored (hack/decisions/0000 5, last bullet)', async () => {
    const annotations = { 'protected.drover.dev/reconcile-priority': 'urgent' };
    const manifest = herd.alone('hasty', 'small');
    await herd.apply({ ...manifest, metadata: { ...manifest.metadata, annotations } } as typeof manifest);
    await herd.kubectl('wait', 'mc/hasty', '--for=condition=NodeHealthy', '--timeout=45s');
    expect(await whenTold('Machine', 'hasty', 'InvalidPriority')).toContain('Warning InvalidPriority');
  });

  test('what a deployment and its sets do (hack/spec/mcm.md 10.1)', async () => {
    await herd.makeDeployment({ replicas: 1, name: 'told' });
    await herd.whenRunning(1);
    expect(await whenTold('MachineDeployment', 'told', 'ScalingMachineSet')).toEqual(['Normal ScalingMachineSet']);
    const [set] = await herd.sets();
    expect(await whenTold('MachineSet', set?.metadata.name ?? '', 'SuccessfulCreate')).toEqual([
      'Normal SuccessfulCreate',
    ]);
    const scale = { namespace: herd.namespace, name: 'told' };
    await herd.api.patch(resources.machineDeployments, scale, { type: 'merge', body: { spec: { replicas: 0 } } });
    await herd.whenRunning(0);
    expect(await whenTold('MachineSet', set?.metadata.name ?? '', 'SuccessfulDelete')).toHaveLength(2);
  });
});

describe('an event tells why', () => {
  /** Refuses what is beyond the quota, as an administrator's quota does; no controller runs that would count it. */
  async function withQuota(resource: string, run: () => Promise<void>): Promise<void> {
    const hard = { [`count/${resource}.machine.sapcloud.io`]: '0' };
    const spec = JSON.stringify({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'none' },
      spec: { hard },
    });
    await herd.apply(JSON.parse(spec));
    const status = JSON.stringify({ status: { hard, used: hard } });
    await herd.kubectl('patch', 'quota/none', '--subresource=status', '--type=merge', `--patch=${status}`);
    try {
      await run();
    } finally {
      await herd.kubectl('delete', 'quota/none');
    }
  }

  test('a deployment cannot make its set, and a set not its machines (hack/spec/mcm.md 10.1)', async () => {
    await withQuota('machinesets', async () => {
      await herd.makeDeployment({ replicas: 1, name: 'setless' });
      expect(await whenTold('MachineDeployment', 'setless', 'MachineSetCreateError')).toContain(
        'Warning MachineSetCreateError',
      );
    });
    await withQuota('machines', async () => {
      await herd.makeDeployment({ replicas: 1, name: 'other' });
      await herd.eventually('a set', async () =>
        (await herd.sets()).some(({ metadata }) => metadata.name.startsWith('other')),
      );
      const set = (await herd.sets()).find(({ metadata }) => metadata.name.startsWith('other'));
      expect(await whenTold('MachineSet', set?.metadata.name ?? '', 'FailedCreate')).toEqual(['Warning FailedCreate']);
    });
  });

  test('a selector that takes everything does nothing (hack/spec/mcm.md 10.1, SelectingAll)', async () => {
    const template = { metadata: { labels: { a: 'b' } }, spec: { class: { kind: 'MachineClass', name: 'small' } } };
    const apiVersion = 'machine.sapcloud.io/v1alpha1';
    const spec = { selector: {}, replicas: 1, template };
    await herd.apply({ apiVersion, kind: 'MachineDeployment', metadata: { name: 'all' }, spec });
    expect(await whenTold('MachineDeployment', 'all', 'SelectingAll')).toEqual(['Warning SelectingAll']);
  });

  test('a machine left its set, or came to it (hack/spec/cluster-api.md F2 11)', async () => {
    await herd.makeDeployment({ replicas: 1 });
    const [machine] = await herd.whenRunning(1);
    const name = machine?.metadata.name ?? '';
    const [set] = await herd.sets();
    await herd.kubectl('label', 'mc', name, 'pool=elsewhere', '--overwrite');
    expect(await whenTold('Machine', name, 'ReleasedMachine')).toContain('Warning ReleasedMachine');
    await herd.kubectl('scale', 'mcd/pool', '--replicas=2');
    await herd.kubectl('label', 'mc', name, 'pool=pool', '--overwrite');
    expect(await whenTold('MachineSet', set?.metadata.name ?? '', 'AdoptedMachine')).toContain('Normal AdoptedMachine');
  });
});

describe('metrics tell', () => {
  test('how machines stand and what drivers were asked, under the names of MCM (hack/spec/mcm.md 10.2)', async () => {
    await herd.makeClass('full', { capacity: 0 });
    await herd.makeDeployment({ replicas: 2 });
    await herd.apply(herd.alone('waiting', 'full'));
    await herd.whenDecided('waiting', 'ResourceExhausted');
    await herd.eventually('two ready machines', async () => (await herd.phases())['Running'] === 2);
    const text = await (await fetch(`${herd.controller().url}/metrics`)).text();
    const own = `namespace="${herd.namespace}"`;
    const [set] = await herd.sets();
    for (const line of [
      'mcm_machine_items_total 3',
      'mcm_machine_set_items_total 1',
      'mcm_machine_deployment_items_total 1',
      `mcm_machine_current_status_phase{name="waiting",${own}} -2`,
      `mcm_machine_deployment_info_spec_replicas{name="pool",${own}} 2`,
      `mcm_machine_set_info_spec_replicas{name="${set?.metadata.name}",${own}} 2`,
      `drover_machines{${own},phase="CrashLoopBackOff",step="VMCreated",reason="ResourceExhausted"} 1`,
      `drover_machines{${own},phase="Running",step="Reconciled",reason="Reconciled"} 2`,
      'mcm_cloud_api_driver_requests_failed_total{provider="virtual",operation="create_machine",error_code="8"}',
      'mcm_cloud_api_driver_request_duration_seconds_count{provider="virtual",operation="create_machine"}',
      `mcm_machine_join_duration_seconds{${own},machine_deployment="pool",instance_type="",zone=""}`,
      'drover_machine_create_to_running_seconds_count',
    ])
      expect(text).toContain(line);
    expect(
      text.split('\n').filter((line) => /^(drover_metrics_errors_total|mcm_misc_scrape).* [1-9]/.test(line)),
    ).toEqual([]);
  });
});

describe('the log tells', () => {
  test('each change of a decision once at info, under the names of the steps', async () => {
    await herd.apply(herd.alone('logged', 'small'));
    await herd.kubectl('wait', 'mc/logged', '--for=condition=NodeHealthy', '--timeout=45s');
    const of = async () => {
      const lines = (await herd.controller().lines()).map((line) => JSON.parse(line) as Record<string, string>);
      return lines.filter(({ msg, machine }) => msg === 'decided' && machine === `${herd.namespace}/logged`);
    };
    await herd.eventually('the last decision', async () => (await of()).at(-1)?.['step'] === 'Reconciled');
    const told = await of();
    expect([...new Set(told.map(({ level }) => level))]).toEqual(['info']);
    const changes = told.map(({ step, outcome, reason }) => `${step} ${outcome} ${reason}`);
    expect(changes).toContain('FinalizerAdded act AddFinalizer');
    expect(changes).toContain('VMCreated act CreateVM');
    expect(changes).toContain('VMCreated act RecordVM');
    expect(changes.filter((change, at) => change === changes[at - 1])).toEqual([]);
    expect(told.at(-1)).toMatchObject({ step: 'Reconciled', outcome: 'pass', reason: 'Reconciled', phase: 'Running' });
  });
});

/** Texts of kubectl without what differs from run to run. */
const steady = (text: string): string =>
  text
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID')
    .replace(/\bherd-\w{5}\b/g, 'NAMESPACE')
    .replace(/\d{4}-\d\d-\d\dT[\d:]+Z/g, 'TIME')
    .replace(/Resource Version: +\d+/g, 'Resource Version: VERSION')
    .split('\n')
    .map((line) =>
      line
        .replace(/\b\d+m?\d*s\b( \(x\d+ over \w+\))?/g, 'AGE')
        .replace(/ {2,}/g, (gap, at) => (at === 0 ? gap : '  ')),
    )
    .map((line) => line.trimEnd())
    .join('\n');

/** Of `kubectl describe`, without the conditions that say nothing: satisfied, or not reached. A further step is no news. */
const telling = (described: string): string =>
  described.replace(
    / {4}Last Transition Time: .*\n(?: {4}Message: .*\n)? {4}Reason: +(\w+)\n {4}Status: +\w+\n {4}Type: +(\w+)\n/g,
    (block, reason, type) => (reason === type || reason === 'WaitingForPreviousStep' ? '' : block),
  );
