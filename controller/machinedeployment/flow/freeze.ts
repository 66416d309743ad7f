import { ANNOTATION_UNFREEZE } from '../../../schemas/keys.ts';
import type { MachineSet } from '../../../schemas/machineset.ts';
import { act, type Outcome, wait } from '../../flow/flow.ts';
import { isWilling } from '../../flow/refusals.ts';
import { type Freeze, followFreeze, freezeStateOf, isFrozen } from '../../model/freeze.ts';
import { type Reason, reasons } from './reasons.ts';
import type { MachineDeploymentAction, MachineDeploymentView } from './view.ts';

type Answer = Outcome<MachineDeploymentAction, Reason>;

/** A deployment is frozen while one of its sets is (hack/spec/mcm.md 8.1). A wish to end that goes to the sets first. */
export function freezeSynced(view: MachineDeploymentView): Answer {
  const { deployment, sets } = view;
  const frozen = sets.map(({ set }) => set).filter(isFrozenSet);
  const wish = deployment.metadata.annotations?.[ANNOTATION_UNFREEZE];
  const all = frozen.filter(({ metadata }) => metadata.annotations?.[ANNOTATION_UNFREEZE] === undefined);
  const unasked = all.find((set) => isWilling(view, 'patchSet', set)) ?? all[0];
  if (wish !== undefined && unasked) return act('UnfreezeMachineSet', askOf(unasked, wish));
  return followFreeze(freezeStateOf(deployment, deployment.status?.conditions), causeOf(frozen));
}

/** The deployment itself is frozen, by its label or its condition, whatever its sets are. */
export const isFrozenByState = ({ deployment }: Pick<MachineDeploymentView, 'deployment'>): boolean =>
  isFrozen(freezeStateOf(deployment, deployment.status?.conditions));

/** What a step would do waits while the deployment is frozen, and is named. */
export function unlessFrozen(view: MachineDeploymentView, outcome: Answer): Answer {
  if (outcome.kind !== 'act' || !isFrozenByState(view)) return outcome;
  return wait('Frozen', Infinity, `frozen, so this waits: ${reasons[outcome.reason].help}`);
}

/** A set that leaves makes nothing, and ends no freeze any more. */
const isFrozenSet = (set: MachineSet): boolean =>
  !set.metadata.deletionTimestamp && isFrozen(freezeStateOf(set, set.status?.machineSetCondition));

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
