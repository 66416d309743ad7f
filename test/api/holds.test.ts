import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { resources } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';
import { type ControllerProcess, startController } from './support/controllerprocess.ts';
import { controlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';

setDefaultTimeout(180_000);

// hack/decisions/0028 W12; hack/decisions/0051 C3

const LABEL = 'vmoperator.vmware.com/paused';
const ADMIN = 'protected.drover.dev/paused';
const herd = new Herd();
let controller: ControllerProcess;

beforeAll(async () => {
  const cluster = await controlPlane();
  herd.settle(cluster, await cluster.namespace('holds'));
  controller = await startController({ cluster, namespace: herd.namespace, flags: ['--leader-elect=false'] });
  await controller.working();
  await herd.makeClass('small');
});

afterAll(async () => {
  await herd.kubectl('delete', 'mc', '--all', '--timeout=45s');
  expect(await controller.stop()).toBe(0);
  await herd.leave();
});

const seen = (name: string): Promise<Machine> => herd.api.get(resources.machines, { namespace: herd.namespace, name });

const labelled = async (name: string, by: string | undefined): Promise<void> =>
  herd.eventually(`${name} to be labelled ${by}`, async () => (await seen(name)).metadata.labels?.[LABEL] === by);

async function running(name: string): Promise<void> {
  await herd.apply(herd.alone(name, 'small'));
  await herd.kubectl('wait', `mc/${name}`, '--for=jsonpath={.status.currentStatus.phase}=Running', '--timeout=45s');
}

describe('a check', () => {
  const checks = ['delete.check.drover.dev/billing', 'delete.check.vmoperator.vmware.com/backup'] as const;

  test('holds the deletion of its machine, by force or not, until the last of them is taken off', async () => {
    await running('checked');
    const node = (await seen('checked')).metadata.labels?.['node'] ?? '';
    await herd.kubectl('annotate', 'mc/checked', ...checks.map((key) => `${key}=open`));
    await herd.kubectl('delete', 'mc/checked', '--wait=false');
    await herd.kubectl('wait', 'mc/checked', '--for=condition=DeletionAllowed=False', '--timeout=45s');
    await herd.kubectl('label', 'mc/checked', 'force-deletion=True');
    await herd.kubectl('annotate', 'mc/checked', `${checks[0]}-`);
    await herd.eventually('the condition to name the check that is left', async () => {
      const { status } = await seen('checked');
      const condition = status?.conditions?.find(({ type }) => type === 'DeletionAllowed');
      return (
        condition?.reason === 'DeletionCheckPending' && condition.message === `held by the annotation ${checks[1]}`
      );
    });
    expect((await herd.vms()).length).toBe(1);
    expect(JSON.parse(await herd.kubectl('get', 'node', node, '-o', 'json')).spec.unschedulable).toBeUndefined();
    const told = await herd.kubectl(
      'get',
      'events',
      '-o',
      'jsonpath={.items[?(@.reason=="DeletionCheckPending")].regarding.name}',
    );
    expect(told.split(' ').filter((name) => name === 'checked').length).toBeLessThanOrEqual(2);
    await herd.kubectl('annotate', 'mc/checked', `${checks[1]}-`);
    await herd.kubectl('wait', 'mc/checked', '--for=delete', '--timeout=45s');
    expect(await herd.vms()).toEqual([]);
  });
});

describe('a pause', () => {
  test('holds the machine whoever asked for it, and its label tells who did', async () => {
    await herd.apply({
      ...herd.alone('paused', 'small'),
      metadata: { name: 'paused', annotations: { [ADMIN]: '' } },
    } as never);
    await labelled('paused', 'admin');
    await herd.kubectl('annotate', 'mc/paused', 'vmoperator.vmware.com/paused=');
    await labelled('paused', 'both');
    await herd.kubectl('annotate', 'mc/paused', `${ADMIN}-`);
    await labelled('paused', 'devops');
    await herd.kubectl('wait', 'mc/paused', '--for=condition=Paused', '--timeout=45s');
    expect([(await seen('paused')).metadata.finalizers, await herd.vms()]).toEqual([undefined, []]);
    await herd.kubectl('annotate', 'mc/paused', 'vmoperator.vmware.com/paused-');
    await herd.kubectl('wait', 'mc/paused', '--for=jsonpath={.status.currentStatus.phase}=Running', '--timeout=45s');
    await labelled('paused', undefined);
  });

  test('by those who run Drover holds a deletion, and a label that lies is mended', async () => {
    await running('kept');
    await herd.kubectl('label', 'mc/kept', `${LABEL}=devops`);
    await labelled('kept', undefined);
    await herd.kubectl('annotate', 'mc/kept', `${ADMIN}=maintenance`);
    await labelled('kept', 'admin');
    await herd.kubectl('delete', 'mc/kept', '--wait=false');
    await herd.kubectl('wait', 'mc/kept', '--for=jsonpath={.status.currentStatus.phase}=Terminating', '--timeout=45s');
    expect((await seen('kept')).status?.currentStep).toMatchObject({ name: 'Paused', reason: 'Paused' });
    await herd.kubectl('annotate', 'mc/kept', `${ADMIN}-`);
    await herd.kubectl('wait', 'mc/kept', '--for=delete', '--timeout=45s');
  });
});
