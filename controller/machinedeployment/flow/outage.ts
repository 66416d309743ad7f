import type { Machine } from '../../../schemas/machine.ts';
import type { MachineDeploymentView } from './view.ts';

/** Reasons of machines that are not replaced because too many are unhealthy (decisions 7, Meltdown). */
const OUTAGES: ReadonlySet<string> = new Set(['ZoneOutage', 'ClusterOutage']);

/** The condition of a deployment whose unhealthy machines are not replaced because that is an outage; undefined when there is none. */
export function replacementStopped({ sets }: Pick<MachineDeploymentView, 'sets'>) {
  const held = sets.flatMap(({ machines }) => machines).filter(isHeld);
  const [first] = held;
  if (!first) return undefined;
  const reason = first.status?.deciding?.reason ?? '';
  const told = first.status?.conditions?.find(({ type }) => type === 'Healthy')?.message;
  const message = `${held.length} of its machines are not replaced; of ${first.metadata.name}: ${told}`;
  return { type: 'ReplacementStopped', status: 'True' as const, reason, message };
}

const isHeld = ({ metadata, status }: Machine): boolean =>
  !metadata.deletionTimestamp && OUTAGES.has(status?.deciding?.reason ?? '');
