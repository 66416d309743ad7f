import { expect, test } from 'bun:test';
import { nodes } from '../../controller/runtime/k8s/core.ts';
import { ANNOTATION_NODE_MACHINE, ANNOTATION_TRIGGER_DELETION } from '../../schemas/keys.ts';
import { useHerd } from '../api/support/herdfixture.ts';
import { makeStrange, strangeLeft } from '../api/support/strangevms.ts';

/** A user who may edit Nodes of a target can have machines replaced by an annotation, and do nothing to VMs without a Machine. */

const herd = useHerd();

test('Nodes that name VMs without a Machine, and ask for their deletion, have none deleted', async () => {
  await herd.makeDeployment({ replicas: 1 });
  const [victim] = await herd.whenRunning(1);
  await makeStrange(herd, [{ id: 'real' }, { id: 'claimed' }]);
  const annotations = { [ANNOTATION_TRIGGER_DELETION]: 'true' };
  const claim = { [ANNOTATION_NODE_MACHINE]: victim?.metadata.name ?? '' };
  for (const [id, more] of Object.entries({ real: {}, claimed: claim })) {
    const name = `${herd.namespace}-${id}`;
    const metadata = { name, annotations: { ...annotations, ...more } };
    await herd.api.create(nodes, { metadata, spec: { providerID: `virtual:///${name}` } });
  }
  // By the time that what is asked of the machine's own Node is done, the others were seen as well.
  await herd.kubectl(
    'annotate',
    'node',
    victim?.metadata.labels?.['node'] ?? '',
    `${ANNOTATION_TRIGGER_DELETION}=true`,
  );
  await herd.eventually('the machine to be replaced', async () => {
    const uids = (await herd.machines()).map(({ metadata }) => metadata.uid);
    return uids.length === 1 && !uids.includes(victim?.metadata.uid);
  });
  expect(await strangeLeft(herd)).toEqual(['claimed', 'real']);
});
