import type { Gate } from '../outage/gate.ts';
import type { SweepView } from './flow/view.ts';

/**
 * The gate of a class whose machines stand behind several: an orphan does not tell its Cluster, so it may be of each.
 * @param gates of every Cluster that the class's machines may be of
 */
export function classGate(gates: readonly Gate[]): Pick<SweepView, 'shut' | 'judgesFrom' | 'steppedAt'> {
  const [shut] = gates.flatMap((gate) => (gate.shut ? [gate.shut] : []));
  return {
    shut: shut && `the API server of the ${shut.away} cluster does not answer`,
    judgesFrom: Math.max(0, ...gates.map(({ judgesFrom }) => judgesFrom)),
    steppedAt: Math.max(0, ...gates.map(({ steppedAt = 0 }) => steppedAt)),
  };
}
