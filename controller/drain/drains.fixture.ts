import type { node } from '../../test/fixtures/objects.ts';
import type { Target } from '../model/target.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import type { Pod, PodDisruptionBudget, VolumeAttachment } from '../runtime/k8s/workload.ts';
import { FakeLog } from '../runtime/observability/log.fake.ts';
import type { Random } from '../runtime/random.ts';
import { Cache } from '../runtime/watch/cache.ts';
import { attachmentIndexes, namespaceOf, podIndexes } from '../targets/pods.ts';
import { FakeApi } from './calls.fake.ts';
import { applyDrain } from './evictions.ts';
import { planDrain } from './flow/plan.ts';
import type { RulesFact } from './flow/rules.ts';
import { NOW, drain as viewOf } from './flow/view.fixture.ts';
import type { DrainRequest } from './memory.ts';
import { observeDrain } from './observe.ts';
import { Drains } from './tracker.ts';

/** Jitter of nothing. */
const even: Random = { next: () => 0.5 };

/** A pod on the Node `m`. */
export const podOn = (name: string, { claim, priority }: { claim?: string; priority?: number } = {}): Pod => ({
  metadata: { namespace: 'shop', name, uid: `uid-${name}`, resourceVersion: '1' },
  spec: {
    nodeName: 'm',
    terminationGracePeriodSeconds: 30,
    ...(priority && { priority }),
    ...(claim && { volumes: [{ persistentVolumeClaim: { claimName: claim } }] }),
  },
});

/** A pod that has been asked to leave. */
export const leaving = (name: string): Pod => {
  const pod = podOn(name);
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      deletionTimestamp: new Date(NOW + 30_000).toISOString(),
      deletionGracePeriodSeconds: 30,
    },
  };
};

/** A volume that is attached to a Node. */
export const attachment = (volume: string, nodeName = 'm', attached = true): VolumeAttachment => ({
  metadata: { name: `${volume}-${nodeName}`, uid: `uid-${volume}-${nodeName}`, resourceVersion: '1' },
  spec: { nodeName, source: { persistentVolumeName: volume } },
  status: { attached },
});

/** The claim shop/`name`, bound to the volume pv-`name`. */
export const boundClaim = (name: string) => ({
  metadata: { namespace: 'shop', name },
  spec: { volumeName: `pv-${name}` },
  status: { phase: 'Bound' },
});

const OF_M = { key: 'herd/m', uid: 'uid-m', nodeName: 'm' };

/** The drain of the Node `m` on a fake clock and API server, without the Machine around it. */
export function benchDrain(changes: Partial<DrainRequest> = {}) {
  const clock = new FakeClock(NOW);
  const server = new FakeApi();
  const enqueued: string[] = [];
  const pods = new Cache<Pod>({ indexes: podIndexes });
  const attachments = new Cache<VolumeAttachment>({ indexes: attachmentIndexes });
  const nodes = new Cache<ReturnType<typeof node>>();
  const budgets = new Cache<PodDisruptionBudget>({ indexes: { namespace: namespaceOf } });
  const target = { api: server.api, nodes, pods, attachments, budgets, tokens: new Cache() } as Target;
  for (const cache of [pods, attachments]) (cache as Cache<Pod>).reset([], '0');
  const enqueue = (key: string, after: number) => void enqueued.push(`${key} ${after}`);
  const begin = () => {
    const begun = new Drains({ clock, random: even, log: new FakeLog(), enqueue });
    begun.follow(target);
    return begun;
  };
  let drains = begin();
  const { deadline, forced, limits } = viewOf();
  const rules: RulesFact = { at: 'known', rules: [] };
  const request: DrainRequest = { ...OF_M, target, deadline, forced, limits, rules, ...changes };
  const look = () => observeDrain({ drains, clock }, request);
  /** Acts until there is nothing to do at once; answers what is waited for. */
  const run = async (): Promise<string> => {
    for (let tries = 0; tries < 50; tries++) {
      const outcome = planDrain(look());
      if (outcome.kind === 'act') applyDrain(drains, request.uid, outcome.action);
      await clock.advance(0);
      if (outcome.kind !== 'act') return outcome.kind === 'pass' ? 'pass' : outcome.reason;
    }
    throw new Error('the drain acts without end');
  };
  /** What a crash does: all that was only remembered is lost. */
  const restart = () => {
    drains.forget(request.uid);
    drains = begin();
  };
  return { clock, server, enqueued, target, drains, request, look, run, restart };
}
