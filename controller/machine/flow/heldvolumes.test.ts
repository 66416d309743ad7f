import { expect, test } from 'bun:test';
import { at } from '../../../test/fixtures/objects.ts';
import { apiError } from '../../drain/calls.fake.ts';
import { attachment, benchDrain, podOn } from '../../drain/drains.fixture.ts';
import { applyDrain } from '../../drain/evictions.ts';
import { type Pod, persistentVolumeClaims } from '../../runtime/k8s/workload.ts';
import { cordoned, drainFrom, leaver } from './drain.fixture.ts';
import { plan } from './flow.ts';
import { view } from './view.fixture.ts';

// hack/decisions/0051 L37

/**
 * The controller was restarted after a drain that had ended, and the volume of a pod that left is still attached. A pod of a
 * DaemonSet stays, with a claim of a volume that nobody attaches, such as one of NFS.
 */
function successor() {
  const bench = benchDrain({ deadline: Date.parse(at(7_260)) });
  const { server, target } = bench;
  const metadata = { namespace: 'shop', name: 'nfs' };
  const claim = { metadata, spec: { volumeName: 'pv-nfs' }, status: { phase: 'Bound' } };
  server.put(persistentVolumeClaims, claim);
  const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'log', uid: 'u', controller: true };
  const daemon = podOn('log', { claim: 'nfs' });
  target.pods.put({ ...daemon, metadata: { ...daemon.metadata, ownerReferences: [owner] } } as Pod);
  target.attachments.put(attachment('pv-a'));
  const status = { deletion: { ...drainFrom(60, { endedAt: at(60) }).deletion, detachDeadline: at(180) } };
  const machine = leaver({ status });
  /** One pass, as the controller takes it: it acts, and looks again at once. */
  const pass = (): string => {
    const { step, outcome } = plan(view({ machine, node: cordoned, now: bench.clock.now(), drain: bench.look() }));
    if (outcome.kind === 'act' && outcome.action.do === 'drain')
      applyDrain(bench.drains, bench.request.uid, outcome.action.action);
    return outcome.kind === 'pass' ? step : `${step} ${outcome.kind} ${outcome.reason}`;
  };
  return { ...bench, pass };
}

test('a volume on its way keeps its VM while claims of pods that stay are looked up', async () => {
  const { pass, clock } = successor();
  expect(pass()).toBe('VolumesDetached act GetVolumes');
  expect(pass()).toBe('VolumesDetached wait VolumesDetaching');
  await clock.advance(0);
  expect(pass()).toBe('VolumesDetached wait VolumesDetaching');
});

test('also while they cannot be, for its time and no longer', async () => {
  const { pass, clock, server } = successor();
  server.onCall = () => {
    throw apiError(500, 'InternalError');
  };
  pass();
  await clock.advance(119_999);
  while (pass() === 'VolumesDetached act GetVolumes') await clock.advance(0);
  expect(pass()).toBe('VolumesDetached wait VolumesDetaching');
  await clock.advance(1);
  expect(pass()).toBe('VMDeleted act DeleteVM');
});
