import type { Node } from '../../controller/runtime/k8s/core.ts';
import { LABEL_UPDATE_RESULT } from '../../schemas/keys.ts';
import type { WorldClock } from '../world/clock.ts';
import type { Chance } from './chance.ts';
import type { Server } from './server.ts';

/** What the agents on Nodes do that update machines in place. */
export interface AgentParts {
  target: Server;
  clock: WorldClock;
  chance: Chance;
}

/** How long an update takes. */
const WORK_MS = { from: 1_000, to: 120_000 };

/** Once a Node is ready for its update, its agent does it, and says what came of it. */
export function runAgents({ target, clock, chance }: AgentParts): void {
  const answer = ({ metadata }: Node) => {
    const node = target.api.store.get('/nodes', metadata.name) as Node | undefined;
    if (!node || node.metadata.uid !== metadata.uid || !isReady(node)) return;
    const result = chance.happens(0.1) ? 'failed' : 'successful';
    const body = JSON.stringify({ metadata: { labels: { [LABEL_UPDATE_RESULT]: result } } });
    const contentType = 'application/merge-patch+json';
    target.handle('agent', { method: 'PATCH', path: `/api/v1/nodes/${metadata.name}`, contentType, body });
  };
  target.api.store.onWrite(({ resource, before, after }) => {
    if (resource !== '/nodes' || !after || !isReady(after as Node) || (before && isReady(before as Node))) return;
    clock.after(chance.between(WORK_MS.from, WORK_MS.to), () => answer(after as Node));
  });
}

const isReady = ({ status, metadata }: Node): boolean =>
  metadata.labels?.[LABEL_UPDATE_RESULT] === undefined &&
  (status?.conditions ?? []).some(({ type, reason }) => type === 'InPlaceUpdate' && reason === 'ReadyForUpdate');
