import { beforeAll, expect, test } from 'bun:test';
import { rbac } from '../../hack/generate/rbac.ts';
import { controlPlane } from './support/controlplane.ts';

const { kubectl } = await controlPlane();

beforeAll(async () => {
  for (const { content } of rbac()) {
    expect(await kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], { stdin: content })).toMatchObject(
      { code: 0 },
    );
  }
});

test.each([
  ['controller', 'yes', 'create machines.machine.sapcloud.io -n anywhere'],
  ['controller', 'yes', 'patch machines.machine.sapcloud.io --subresource=status -n anywhere'],
  ['controller', 'yes', 'override machines.machine.sapcloud.io -n anywhere'],
  ['controller', 'yes', 'get namespaces/kube-system'],
  ['controller', 'yes', 'update leases.coordination.k8s.io -n drover-system'],
  ['controller', 'yes', 'delete configmaps -n drover-virtual-cloud'],
  ['controller', 'no', 'delete configmaps -n default'],
  ['controller', 'no', 'create pods -n default'],
  ['controller', 'yes', 'get namespaces/default'],
  ['controller', 'no', 'list namespaces'],
  ['controller', 'yes', 'watch machinedrainrules.drover.dev -n anywhere'],
  ['controller', 'no', 'patch machinedrainrules.drover.dev -n anywhere'],
  ['webhook', 'yes', 'create subjectaccessreviews.authorization.k8s.io'],
  ['webhook', 'yes', 'update secrets/drover-webhook-tls -n drover-system'],
  ['webhook', 'no', 'get secrets -n drover-system'],
  ['webhook', 'no', 'create secrets -n drover-system'],
  ['controller', 'no', 'get secrets -n anywhere'],
  ['controller', 'no', 'create namespaces'],
  ['controller', 'no', 'get machineclasses.machine.sapcloud.io -n anywhere'],
  ['controller', 'no', 'get volumeattachments.storage.k8s.io'],
  ['controller', 'yes', 'patch clusters.drover.dev --subresource=status -n anywhere'],
  ['controller', 'yes', 'patch machineclasses.machine.sapcloud.io --subresource=status -n anywhere'],
  ['controller', 'no', 'delete clusters.drover.dev -n anywhere'],
  ['webhook', 'yes', 'watch clusters.drover.dev -n anywhere'],
  ['webhook', 'no', 'create machines.machine.sapcloud.io -n anywhere'],
])('to the account of the %s the answer is %s to: %s', async (program, answer, question) => {
  const account = `system:serviceaccount:drover-system:drover-${program}`;
  const { stdout } = await kubectl(['auth', 'can-i', ...question.split(' '), `--as=${account}`]);
  expect(stdout.trim()).toBe(answer);
});
