import { ANNOTATION_UNFREEZE } from '../../../schemas/keys.ts';
import type { MachineSet } from '../../../schemas/machineset.ts';
import { act, type Outcome, wait } from '../../flow/flow.ts';
import { isWilling } from '../../flow/refusals.ts';
import { type Freeze, followFreeze, isFrozen, standingOf } from '../../model/freeze.ts';
import { type Reason, reasons } from './reasons.ts';
import type { MachineDeploymentAction, MachineDeploymentView } from './view.ts';

type Answer = Outcome<MachineDeploymentAction, Reason>;

/** A deployment is frozen while one of its sets is (MCM 8.1). A wish to end that goes to the sets first. */
export function freezeTold(view: MachineDeploymentView): Answer {
  const { deployment, sets } = view;
  const frozen = sets.map(({ set }) => set).filter(isFrozenSet);
  const wish = deployment.metadata.annotations?.[ANNOTATION_UNFREEZE];
  const all = frozen.filter(({ metadata }) => metadata.annotations?.[ANNOTATION_UNFREEZE] === undefined);
  const unasked = all.find((set) => isWilling(view, 'patchSet', set)) ?? all[0];
  if (wish !== undefined && unasked) return act('AskToUnfreeze', askOf(unasked, wish));
  return followFreeze(standingOf(deployment, deployment.status?.conditions), causeOf(frozen));
}

/** The deployment itself is told to be frozen, or somebody says so. */
export const isHeld = ({ deployment }: Pick<MachineDeploymentView, 'deployment'>): boolean =>
  isFrozen(standingOf(deployment, deployment.status?.conditions));

/** What a step would do waits while the deployment is frozen, and is named. */
export function unlessFrozen(view: MachineDeploymentView, outcome: Answer): Answer {
  if (outcome.kind !== 'act' || !isHeld(view)) return outcome;
  return wait('Frozen', Infinity, `frozen, so this waits: ${reasons[outcome.reason].says}`);
}

/** A set that leaves makes nothing, and ends no freeze any more. */
const isFrozenSet = (set: MachineSet): boolean =>
  !set.metadata.deletionTimestamp && isFrozen(standingOf(set, set.status?.machineSetCondition));

const causeOf = (frozen: readonly MachineSet[]): Freeze | undefined =>
  frozen.length === 0
    ? undefined
    : {
        reason: 'MachineDeploymentStateSync',
        message: `frozen machine sets: ${frozen.map(({ metadata }) => metadata.name).join(', ')}`,
      };

const askOf = (set: MachineSet, wish: string): MachineDeploymentAction => ({
  do: 'patchSet',
  set,
  patch: { metadata: { annotations: { [ANNOTATION_UNFREEZE]: wish } } },
});
