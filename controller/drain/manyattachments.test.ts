import { expect, test } from 'bun:test';
import { node } from '../../test/fixtures/objects.ts';
import type { Target } from '../model/target.ts';
import type { VolumeAttachment } from '../runtime/k8s/workload.ts';
import { slimAttachment } from '../targets/pods.ts';
import { attachment, benchDrain, podOn } from './drains.fixture.ts';
import { applyDrain } from './evictions.ts';

/** hack/decisions/0028 T71: a target's API server says how many VolumeAttachments a volume has, and how often they change. */

const GONE = { namespace: 'shop', name: 'gone', uid: 'gone', graceMs: 0 };

/** Volumes of a pod that left are followed. */
function following(volumes: ReadonlyArray<{ name: string; id?: string }>) {
  const bench = benchDrain();
  const memory = bench.drains.of(bench.request);
  memory.handover = { pod: GONE, volumes, since: bench.drains.now() };
  return { ...bench, memory };
}

/** So many attachments of the volume `v` to other Nodes, and how often one of them was read. */
function elsewhere(count: number, isAttached: boolean) {
  const reads = { count: 0 };
  const all = Array.from({ length: count }, (_, at) => {
    const { spec, ...one } = slimAttachment(attachment('v', `n-${at}`, isAttached));
    const counting = {
      ...one,
      get spec() {
        reads.count += 1;
        return spec;
      },
    };
    return counting as VolumeAttachment;
  });
  return { all, reads };
}

test('those of other Nodes are not gone through for each volume that is followed', () => {
  const { all, reads } = elsewhere(2_000, false);
  const { target, look } = following(Array.from({ length: 100 }, () => ({ name: 'v' })));
  target.attachments.reset([...all, attachment('w')], '1');
  reads.count = 0;
  expect(look().handover).toMatchObject({ here: false, elsewhere: false });
  expect(reads.count).toBe(0);
});

test.each<[string, VolumeAttachment[], boolean, boolean]>([
  ['on the Node alone', [attachment('v')], true, false],
  ['nowhere', [], false, false],
  ['on its way to another Node', [attachment('v', 'n', false)], false, false],
  ['on another Node', [attachment('v', 'n')], false, true],
  ['on both', [attachment('v'), attachment('v', 'n')], true, true],
  ['on both, and not there yet', [attachment('v'), attachment('v', 'n', false)], true, false],
  ['on its way to the Node, and on another', [attachment('v', 'm', false), attachment('v', 'n')], true, true],
])('a volume is %s', (_what, attachments, here, isElsewhere) => {
  const { target, look } = following([{ name: 'v' }]);
  target.attachments.reset(attachments, '1');
  expect(look().handover).toMatchObject({ here, elsewhere: isElsewhere });
});

test.each([
  ['with the volume tells that it is there', [{ name: 'csi^vol-7' }], true],
  ['without it does not', [{ name: 'csi^vol-8' }], false],
  ['that is longer than any is not looked through: it may be there', [{ name: 'x'.repeat(70_000) }], true],
])('the list of a Node %s', (_what, volumesAttached, here) => {
  const { target, look } = following([{ name: 'v', id: 'vol-7' }]);
  const { metadata, ...rest } = node({});
  target.nodes.put({ ...rest, metadata: { ...metadata, name: 'm' }, status: { volumesAttached } } as never);
  expect(look().handover?.here).toBe(here);
});

test('of one pod no more volumes are followed than a Node takes', async () => {
  const { target, look, drains, request, clock, server } = benchDrain();
  const claims = Array.from({ length: 600 }, (_, at) => `c${at}`);
  const { spec, ...pod } = podOn('p');
  const volumes = claims.map((claimName) => ({ persistentVolumeClaim: { claimName } }));
  target.pods.put({ ...pod, spec: { ...spec, volumes } });
  target.attachments.reset(
    claims.map((claim) => attachment(`pv-${claim}`)),
    '1',
  );
  const memory = drains.of(request);
  for (const claim of claims)
    memory.claims.lookUp(`shop/${claim}`, async () => ({ name: `pv-${claim}`, followed: true }));
  await clock.advance(0);
  const [fact] = look().pods;
  if (fact) applyDrain(drains, request.uid, { do: 'evictPods', pods: [fact] });
  await clock.advance(0);
  expect([server.calls, memory.handover?.volumes.length]).toEqual([['evict shop/p'], 512]);
});

test('news of them enqueue the drains of their own cluster alone', () => {
  const { target, drains, enqueued } = following([{ name: 'v' }]);
  const caches = benchDrain().target;
  const other = { ...caches, cluster: { namespace: 'tenant', name: 'own' } } as unknown as Target;
  drains.follow(other);
  other.attachments.put(attachment('v', 'n'));
  expect(enqueued).toEqual([]);
  target.attachments.put(attachment('v', 'n'));
  expect(enqueued).toEqual(['herd/m 100']);
});
