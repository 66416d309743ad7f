import { type Outcome, pass } from '../../flow/flow.ts';
import { isWilling } from '../../flow/refusals.ts';
import type { KubeObject } from '../../runtime/k8s/object.ts';
import type { Reason } from './reasons.ts';
import type { MachineDeploymentAction, MachineDeploymentView } from './view.ts';

type Answer = Outcome<MachineDeploymentAction, Reason>;
type Refused = Pick<MachineDeploymentView, 'refused'>;

/** What a step wants, without those of which something was refused a moment ago; one that is left with nothing is passed over. */
export function amongWilling(view: Refused, outcome: Answer): Answer {
  if (outcome.kind !== 'act' || view.refused.size === 0) return outcome;
  const action = without(view, outcome.action);
  return action ? { ...outcome, action } : pass;
}

function without(view: Refused, action: MachineDeploymentAction): MachineDeploymentAction | undefined {
  const willing = <T>(items: readonly T[], objectOf: (item: T) => KubeObject) =>
    items.filter((item) => isWilling(view, action.do, objectOf(item)));
  const unlessNone = (items: readonly unknown[], rest: MachineDeploymentAction) =>
    items.length > 0 ? rest : undefined;
  switch (action.do) {
    case 'patchSet':
      return isWilling(view, action.do, action.set) ? action : undefined;
    case 'scale': {
      const scalings = willing(action.scalings, ({ set }) => set);
      return unlessNone(scalings, { ...action, scalings });
    }
    case 'adopt':
    case 'release':
    case 'deleteSets': {
      const sets = willing(action.sets, (set) => set);
      return unlessNone(sets, { ...action, sets });
    }
    case 'mark': {
      const marks = willing(action.marks, ({ machine }) => machine);
      return unlessNone(marks, { ...action, marks });
    }
    case 'patchMachines': {
      const patches = willing(action.patches, ({ machine }) => machine);
      return unlessNone(patches, { ...action, patches });
    }
    default:
      return action;
  }
}
