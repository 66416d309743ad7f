import { NODE_FINALIZER } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import { removeFinalizer } from '../../framework/writer.ts';
import type { Target } from '../../model/target.ts';
import { changeNode } from '../../nodes/write.ts';
import type { Clock } from '../../runtime/clock.ts';
import { nodes } from '../../runtime/k8s/core.ts';
import { keyOf } from '../../runtime/k8s/object.ts';
import type { Log } from '../../runtime/observability/log.ts';
import { tryAll } from '../../runtime/queue/batches.ts';
import type { Cache } from '../../runtime/watch/cache.ts';
import type { Gates } from '../outage/gates.ts';
import type { Beside } from './flow/claims.ts';
import { type NodesView, nodeClaimsOf, nodeMark } from './flow/nodeplan.ts';
import { memberOf } from './observe.ts';

/** What a sweep over Nodes needs. */
export interface NodeSweepParts extends Pick<Beside, 'isCreating'> {
  machines: Cache<Machine>;
  /** All clusters whose Nodes are looked at. */
  targets(): Iterable<Swept>;
  gates: Gates;
  clock: Clock;
  log: Log;
  namespace: string;
  /** See {@link NodesView}. */
  creationMs: number;
}

/** Most Nodes of one cluster that a sweep marks; the others have their turn in the next one. */
const MOST = 1_000;

/** A cluster whose Nodes are swept. */
type Swept = Pick<Target, 'api' | 'nodes' | 'cluster'>;

/** The key of a cluster whose Nodes are swept: namespace/name, empty for the default target. */
export const sweepKey = ({ cluster }: Pick<Target, 'cluster'>): string => (cluster ? keyOf({ metadata: cluster }) : '');

/** Marks the Nodes of a cluster that no Machine has, if it answers; one that is followed no more has none. */
export async function sweepNodes(parts: NodeSweepParts, key: string): Promise<void> {
  const { machines, clock, namespace, creationMs, log } = parts;
  const target = [...parts.targets()].find((one) => sweepKey(one) === key);
  if (!target) return;
  const { shut, steppedAt = 0 } = parts.gates.of(memberOf(target.cluster));
  if (shut) return;
  const claims = nodeClaimsOf(machines.list(), parts);
  try {
    await markNodes(target, { now: clock.now(), steppedAt, claims, namespace, creationMs });
  } catch (error) {
    log.warn('Nodes without a Machine were not marked', { error });
  }
}

/** A Node that somebody just changed, or that may not be changed, keeps no other from being marked. */
async function markNodes(target: Swept, view: NodesView): Promise<void> {
  const on = { api: target.api, resource: nodes, cache: target.nodes };
  const due = target.nodes.list().flatMap((node) => {
    const mark = nodeMark(node, view);
    return mark ? [{ node, mark }] : [];
  });
  const [failure] = await tryAll(due.slice(0, MOST), async ({ node, mark }) => {
    if (mark.release) await removeFinalizer(on, node, NODE_FINALIZER);
    await changeNode(target, node, mark.change);
  });
  if (failure) throw failure.error;
}
