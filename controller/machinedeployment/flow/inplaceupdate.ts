import { LABEL_CANDIDATE, LABEL_SCALE_UP_DISABLED, LABEL_SELECTED } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import { act, fail, type Outcome, pass, wait } from '../../flow/flow.ts';
import { isWilling } from '../../flow/refusals.ts';
import { availableIn } from '../../model/machine.ts';
import { isPaused } from '../../model/readiness.ts';
import { destined, isStaying, transfers, updateFor } from './inplacetransfer.ts';
import { progressText } from './progress.ts';
import type { Reason } from './reasons.ts';
import { newSetReplicas, shrinkOldSets } from './rollout.ts';
import { changed } from './rolloutnodes.ts';
import {
  leastAvailable,
  type MachineDeploymentAction,
  type NodeMark,
  type SetFact,
  type Sorted,
  specReplicas,
  sum,
} from './view.ts';

type Answer = Outcome<MachineDeploymentAction, Reason>;

/**
 * Machines of old templates keep their VMs: their Nodes are marked, picked within the limits and updated by an agent;
 * those that are done move into the new set (hack/spec/mcm.md 4.7c).
 */
export function rolledInPlace(view: Sorted): Answer {
  const { oldSets, newSet, nodes, numbers } = view;
  const active = oldSets.filter((fact) => fact.machines.length > 0 || specReplicas(fact) > 0);
  if (active.length > 0 && !nodes)
    return fail('NoTargetCluster', 'spec.strategy.type InPlaceUpdate needs the Nodes of a target cluster: set another');
  const growing = active.filter(({ set }) => set.metadata.labels?.[LABEL_SCALE_UP_DISABLED] === undefined);
  const open = growing.find(({ set }) => isWilling(view, 'patchSet', set)) ?? growing[0];
  if (open) return act('DisableScaleUp', { do: 'patchSet', set: open.set, patch: STOPPED });
  const marks = candidates(view);
  if (marks.length > 0) return act('LabelCandidates', { do: 'markNodes', marks, mayFail: true });
  const current = specReplicas(newSet);
  const wanted = newSetReplicas(numbers, current, [newSet, ...oldSets]);
  if (wanted !== current) return scale('ScaleUpNewMachineSet', [{ set: newSet.set, replicas: wanted }]);
  const patches = transfers(view);
  if (patches.length > 0) return act('TransferMachines', { do: 'patchMachines', patches });
  return active.length > 0 ? going(view) : pass;
}

const STOPPED = { metadata: { labels: { [LABEL_SCALE_UP_DISABLED]: 'true' } } };

/** Nodes of old machines that are not marked yet, or whose update was to be another one. */
const candidates = (view: Sorted): NodeMark[] =>
  changed(view, view.oldSets, (node) => {
    const { labels, annotations } = destined(node, view.newSet);
    return { labels: { [LABEL_CANDIDATE]: 'true', ...labels }, ...(annotations && { annotations }) };
  });

/** With the new set complete, machines above are taken away; else the next Nodes are picked. */
function going(view: Sorted): Answer {
  const { numbers, newSet, deployment } = view;
  const saying = progressText(view);
  if (specReplicas(newSet) >= numbers.replicas) {
    const shrinking = shrinkOldSets(view);
    return shrinking.length > 0
      ? scale('ScaleDownOldMachineSets', shrinking)
      : wait('RolloutInProgress', Infinity, saying);
  }
  if (deployment.spec.strategy?.inPlaceUpdate?.orchestrationType === 'Manual')
    return wait('WaitingForSelection', Infinity, `${saying}; label their Nodes ${LABEL_SELECTED}=true`);
  const marks = selection(view);
  return marks.length > 0
    ? act('SelectMachines', { do: 'markNodes', marks, mayFail: true })
    : wait('RolloutInProgress', Infinity, saying);
}

/** The next Nodes to update: as many as may be missing, of machines that are available, the oldest first. */
export function selection(view: Sorted): NodeMark[] {
  const { numbers, newSet, oldSets, now, nodes } = view;
  const isSelected = ({ metadata }: Machine) =>
    nodes?.get(metadata.uid ?? '')?.metadata.labels?.[LABEL_SELECTED] !== undefined;
  const undergoing = stayingOf(oldSets).filter(isSelected).length;
  const isIdle = (machine: Machine, { set }: SetFact) => availableIn(set, machine, now) === 0 && !isSelected(machine);
  // Who is paused would be emptied never.
  const mayBegin = ({ machine }: NodeMark) => !isPaused(machine);
  const idle = oldSets.map((fact) => ({
    ...fact,
    machines: fact.machines.filter((machine) => isIdle(machine, fact)).toSorted(olderFirst),
  }));
  const all = [newSet, ...oldSets];
  const own = newSet.machines.filter((machine) => isIdle(machine, newSet)).length;
  const spare = own + sum(idle, ({ machines }) => machines.length) - leastAvailable(numbers, all, now);
  const missing = numbers.replicas - specReplicas(newSet) - undergoing;
  const picked = changed(view, idle, ({ metadata }) =>
    metadata.labels?.[LABEL_CANDIDATE] === undefined
      ? {}
      : { labels: { [LABEL_SELECTED]: 'true' }, ...updateFor(newSet) },
  );
  return picked.filter(mayBegin).slice(0, Math.max(0, Math.min(spare, missing)));
}

const olderFirst = ({ metadata: a }: Machine, { metadata: b }: Machine): number =>
  Date.parse(a.creationTimestamp ?? '') - Date.parse(b.creationTimestamp ?? '') || (a.name < b.name ? -1 : 1);

const stayingOf = (sets: readonly SetFact[]): Machine[] => sets.flatMap(({ machines }) => machines).filter(isStaying);

const scale = (reason: Reason, scalings: Extract<MachineDeploymentAction, { do: 'scale' }>['scalings']): Answer =>
  act(reason, { do: 'scale', scalings });
