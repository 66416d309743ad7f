import { LABEL_SCALE_UP_DISABLED } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import type { Decision } from '../../flow/flow.ts';
import { isArriving, isLive, replicasOf } from '../../model/holding.ts';
import { isVictim } from '../../model/victim.ts';
import { isFailedForGood } from './preservation.ts';
import { deletionOrder } from './scaledown.ts';
import type { MachineSetAction, MachineSetView } from './view.ts';

/** Machines too many in the order of deletion, and those that go whatever the number. */
export function victims(view: MachineSetView): Machine[] {
  const { named, others, excess } = candidates(view);
  const surplus = deletionOrder(others, view.set, view.now).slice(0, excess);
  const lost = view.machines.filter((machine) => isLive(machine) && isFailedForGood(machine, view));
  return [...new Map([...surplus, ...named, ...lost].map((machine) => [machine.metadata.name, machine])).values()];
}

/**
 * A deletion for which the API server is to be asked first whose marks are which; undefined for any other decision. No watch of Machines is
 * in order with that of sets, so a size may be seen before the mark that was written for it, and a machine in use would go
 * (hack/decisions/0051 U27). Where all go no mark matters, unless machines may have moved on to another set (S29).
 */
export function unaskedChoice(
  view: MachineSetView,
  { step, outcome }: Decision<MachineSetAction>,
): MachineSetAction | undefined {
  if (step !== 'Trimmed' || outcome.kind !== 'act' || view.listed) return undefined;
  const { named, excess } = candidates(view);
  const staying = replicasOf(view.set) > 0 || view.set.metadata.labels?.[LABEL_SCALE_UP_DISABLED] !== undefined;
  return staying && named.length + excess > 0 ? outcome.action : undefined;
}

/** How many machines the set has, by the word of the API server, that the cache does not show: nobody knows how much they are in use. */
export function unseenOf({ listed = new Map(), machines, strays }: MachineSetView): number {
  const seen = new Set([...machines, ...strays].map(({ metadata }) => metadata.uid));
  const unseen = [...listed.values()].filter(({ metadata }) => !seen.has(metadata.uid));
  return unseen.filter(({ metadata }) => !metadata.deletionTimestamp && !isArriving({ metadata, spec: {} })).length;
}

/** Who is named by a scaler, who may go beside them, and how many of these have to. */
function candidates(view: MachineSetView): { named: Machine[]; others: Machine[]; excess: number } {
  const live = view.machines.flatMap((machine) => asListed(machine, view)).filter(isLive);
  const named = live.filter((machine) => isVictim(machine, view.victimsUntil));
  // Who has just come from another set is counted by the deployment first (MCM 5.4). Nobody goes beside who is named: that may well be
  // the last in the order, as one that is preserved is.
  const others = live.filter((machine) => !isArriving(machine) && !named.includes(machine));
  return { named, others, excess: Math.max(0, others.length - replicasOf(view.set)) };
}

/** The machine with the metadata that the API server has; none once it is gone, or no longer the set's. */
function asListed(machine: Machine, { listed }: MachineSetView): Machine[] {
  if (!listed) return [machine];
  const now = listed.get(machine.metadata.uid ?? '');
  return now ? [{ ...machine, metadata: now.metadata }] : [];
}
