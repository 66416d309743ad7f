import { NODE_FINALIZER } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import { changeNode } from '../../nodewrites.ts';
import { tryAll } from '../../runtime/batches.ts';
import type { Cache } from '../../runtime/cache.ts';
import type { Clock } from '../../runtime/clock.ts';
import { nodes } from '../../runtime/core.ts';
import type { Log } from '../../runtime/log.ts';
import type { Target } from '../../targets.ts';
import { removeFinalizer } from '../../writes.ts';
import type { Gates } from '../gates.ts';
import type { Beside } from './claims.ts';
import { type NodesView, nodeClaimsOf, nodeMark } from './nodeplan.ts';
import { memberOf } from './observe.ts';

/** What a sweep over Nodes needs. */
export interface NodeSweepParts extends Pick<Beside, 'isCreating'> {
  machines: Cache<Machine>;
  /** All clusters whose Nodes are looked at. */
  targets(): Iterable<Pick<Target, 'api' | 'nodes' | 'cluster'>>;
  gates: Gates;
  clock: Clock;
  log: Log;
  namespace: string;
  /** See {@link NodesView}. */
  creationMs: number;
}

/** Marks the Nodes that no Machine has, in all clusters that answer. What fails concerns its cluster alone. */
export async function sweepNodes(parts: NodeSweepParts): Promise<void> {
  const { machines, clock, namespace, creationMs, log } = parts;
  const claims = nodeClaimsOf(machines.list(), parts);
  const view = { now: clock.now(), steppedAt: 0, claims, namespace, creationMs };
  const gated = [...parts.targets()].map((target) => ({ target, gate: parts.gates.of(memberOf(target.cluster)) }));
  const open = gated.filter(({ gate }) => !gate.shut);
  const sweeps = open.map(({ target, gate: { steppedAt = 0 } }) =>
    sweepTarget(target, { ...view, steppedAt }).catch((error) =>
      log.warn('Nodes without a Machine were not marked', { error }),
    ),
  );
  await Promise.all(sweeps);
}

/** A Node that somebody just changed, or that may not be changed, keeps no other from being marked. */
async function sweepTarget(target: Pick<Target, 'api' | 'nodes' | 'cluster'>, view: NodesView): Promise<void> {
  const on = { api: target.api, resource: nodes, cache: target.nodes };
  const [failure] = await tryAll(target.nodes.list(), async (node) => {
    const mark = nodeMark(node, view);
    if (!mark) return;
    if (mark.release) await removeFinalizer(on, node, NODE_FINALIZER);
    await changeNode(target, node, mark.change);
  });
  if (failure) throw failure.error;
}
