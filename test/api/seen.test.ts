import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { resources } from '../../schemas/kinds.ts';
import { expectGolden } from '../golden.ts';
import { steady, telling } from './shown.ts';
import { useHerd } from './useherd.ts';

const herd = useHerd();
const golden = (name: string) => join(import.meta.dir, 'testdata/seen', name);
const whenDeciding = (name: string, reason: string) =>
  herd.kubectl('wait', `mc/${name}`, `--for=jsonpath={.status.deciding.reason}=${reason}`, '--timeout=10s');

/** Events of the herd's objects as `TYPE REASON`, by object, oldest first. */
async function eventsOf(kind: string, name: string): Promise<string[]> {
  const columns = '-o=jsonpath={range .items[*]}{.type} {.reason}{"\\n"}{end}';
  const field = `--field-selector=involvedObject.kind=${kind},involvedObject.name=${name}`;
  const text = await herd.kubectl('get', 'events', field, '--sort-by=.metadata.creationTimestamp', columns);
  return text.split('\n').filter(Boolean);
}

/** Waits until the last event on the object has this reason, and answers all of them in no order. */
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
    await whenDeciding('waiting', 'ResourceExhausted');
    await herd.kubectl('wait', 'mc/well', '--for=condition=Healthy', '--timeout=10s');
    await whenTold('Machine', 'waiting', 'ResourceExhausted');
    await expectGolden(golden('get.txt'), steady(await herd.kubectl('get', 'mc')));
    await expectGolden(golden('get-wide.txt'), steady(await herd.kubectl('get', 'mc', '-o', 'wide')));
    await expectGolden(golden('describe.txt'), telling(steady(await herd.kubectl('describe', 'mc', 'waiting'))));
  });
});

describe('events tell', () => {
  test('the life of a machine, each transition once', async () => {
    await herd.apply(herd.alone('m', 'small'));
    await herd.whenRunning(1);
    expect(await whenTold('Machine', 'm', 'Running')).toEqual(['Normal RecordVm', 'Normal Running']);
    await herd.kubectl('delete', 'mc/m', '--timeout=20s');
    const last = await whenTold('Machine', 'm', 'RemoveFinalizer');
    expect(last.filter((event) => event !== 'Normal Terminating')).toEqual([
      'Normal DeleteNode',
      'Normal RecordVm',
      'Normal RemoveFinalizer',
      'Normal Running',
    ]);
  });

  test('what a machine waits for', async () => {
    await herd.apply(herd.alone('classless', 'later'));
    expect(await whenTold('Machine', 'classless', 'ClassNotFound')).toEqual(['Warning ClassNotFound']);
  });

  test('of a priority that is ignored (decisions 5, last bullet)', async () => {
    const annotations = { 'protected.drover.dev/reconcile-priority': 'urgent' };
    const manifest = herd.alone('hasty', 'small');
    await herd.apply({ ...manifest, metadata: { ...manifest.metadata, annotations } } as typeof manifest);
    await herd.kubectl('wait', 'mc/hasty', '--for=condition=Healthy', '--timeout=10s');
    expect(await whenTold('Machine', 'hasty', 'InvalidPriority')).toContain('Warning InvalidPriority');
  });

  test('what a deployment and its sets do (MCM 10.1)', async () => {
    await herd.makeDeployment({ replicas: 1 });
    await herd.whenRunning(1);
    expect(await whenTold('MachineDeployment', 'pool', 'ScalingMachineSet')).toEqual(['Normal ScalingMachineSet']);
    const [set] = await herd.sets();
    expect(await whenTold('MachineSet', set?.metadata.name ?? '', 'SuccessfulCreate')).toEqual([
      'Normal SuccessfulCreate',
    ]);
    const scale = { namespace: herd.namespace, name: 'pool' };
    await herd.api.patch(resources.machineDeployments, scale, { type: 'merge', body: { spec: { replicas: 0 } } });
    await herd.whenRunning(0);
    expect(await whenTold('MachineSet', set?.metadata.name ?? '', 'SuccessfulDelete')).toHaveLength(2);
  });
});
