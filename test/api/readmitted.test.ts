import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { type Node, nodes } from '../../controller/runtime/k8s/core.ts';
import { resources } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';
import { type ControllerProcess, startWorking } from './support/controllerprocess.ts';
import { controlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';

setDefaultTimeout(180_000);

// hack/decisions/0028 O14

const HOOK = 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/backup';
const herd = new Herd();
let controller: ControllerProcess | undefined;

beforeAll(async () => {
  const cluster = await controlPlane();
  herd.settle(cluster, await cluster.namespace('readmitted'));
  await herd.makeClass('small');
  controller = await startWorking(herd);
});

afterAll(async () => {
  await herd.kubectl('annotate', 'mc', '--all', `${HOOK}-`);
  await herd.kubectl('delete', 'mc', '--all', '--timeout=45s');
  await controller?.stop();
  await herd.leave();
});

const nodeOf = (name: string): Promise<Node> => herd.api.get(nodes, { name });
const isWithdrawn = ({ status }: Node): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Terminating' && is === 'True') ?? false;

/** A backup of the Machine, as it leaves, is all that is left of it; then it is brought back. */
async function restored(machine: Machine): Promise<void> {
  const { name, namespace, labels, annotations, finalizers } = machine.metadata;
  const { metadata: _, status, ...rest } = machine;
  await herd.api.patch(resources.machines, machine.metadata, {
    type: 'merge',
    body: { metadata: { finalizers: null } },
  });
  await herd.eventually('the machine to be gone', async () => (await named(name)) === undefined);
  const { [HOOK]: __, ...kept } = annotations ?? {};
  const metadata = { name, namespace, labels, annotations: kept, finalizers };
  const there = await herd.api.create(resources.machines, { ...rest, metadata } as Machine);
  await herd.api.patch(
    resources.machines,
    there.metadata,
    { type: 'merge', body: { status } },
    { subresource: 'status' },
  );
}

const named = async (name: string): Promise<Machine | undefined> =>
  (await herd.machines()).find(({ metadata }) => metadata.name === name);

test('the Node of a Machine that was restored while it left takes pods again, unless somebody else had cordoned it', async () => {
  for (const name of ['ours', 'theirs']) {
    const machine = herd.alone(name, 'small');
    await herd.apply({ ...machine, metadata: { ...machine.metadata, annotations: { [HOOK]: '' } } } as typeof machine);
  }
  await herd.whenRunning(2);
  await herd.api.patch(nodes, { name: 'theirs' }, { type: 'merge', body: { spec: { unschedulable: true } } });
  await herd.kubectl('delete', 'mc/ours', 'mc/theirs', '--wait=false');
  await herd.eventually('both to be held before their VMs go', async () =>
    (await herd.machines()).every(({ status }) => status?.currentStep?.reason === 'WaitingForPreTerminateHook'),
  );
  for (const name of ['ours', 'theirs']) {
    const node = await nodeOf(name);
    expect([node.spec?.unschedulable, isWithdrawn(node)]).toEqual([true, true]);
  }
  await controller?.kill();
  for (const machine of await herd.machines()) await restored(machine);
  controller = await startWorking(herd);
  await herd.whenRunning(2);
  await herd.eventually('both Nodes to be readmitted', async () =>
    (await Promise.all(['ours', 'theirs'].map(nodeOf))).every((node) => !isWithdrawn(node)),
  );
  const [ours, theirs] = await Promise.all(['ours', 'theirs'].map(nodeOf));
  expect([ours?.spec?.unschedulable, theirs?.spec?.unschedulable]).toEqual([undefined, true]);
  expect(ours?.metadata.annotations?.['drover.dev/cordoned']).toBeUndefined();
  await herd.eventually('that to be told', async () => (await herd.events()).includes('UncordonNode'));
});
