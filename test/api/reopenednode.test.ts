import { expect, test } from 'bun:test';
import { nodes } from '../../controller/runtime/k8s/core.ts';
import { useLeaver } from './support/leaverfixture.ts';

const { herd, workload, leave, gone } = useLeaver('reopened');

/** Holds a machine between its drain and the deletion of its VM. */
const HOOK = 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/test';

const isCordoned = async () => (await herd.api.get(nodes, { name: 'm' })).spec?.unschedulable;

// hack/decisions/0051 L123
test('a Node that is uncordoned after its drain is drained again before its VM goes', async () => {
  await workload.run('a');
  await herd.kubectl('annotate', 'mc', 'm', `${HOOK}=me`);
  await leave();
  await herd.whenDecided('m', 'WaitingForPreTerminateHook');
  expect([(await workload.pods()).length, await isCordoned()]).toEqual([0, true]);
  await workload.run('b');
  await herd.kubectl('uncordon', 'm');
  await herd.eventually('another drain', async () => (await workload.pods()).length === 0);
  expect([await isCordoned(), (await herd.vms()).length]).toEqual([true, 1]);
  await herd.kubectl('annotate', 'mc', 'm', `${HOOK}-`);
  await gone();
});
