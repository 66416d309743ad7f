import { plan } from '../../controller/machinedeployment/flow/flow.ts';
import { statusOf } from '../../controller/machinedeployment/flow/status.ts';
import {
  type MachineDeploymentAction,
  numbersOf,
  sizeAnnotations,
} from '../../controller/machinedeployment/flow/view.ts';
import { ANNOTATION_REVISION } from '../../schemas/keys.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import type { Herd } from './herd.ts';

/** One pass over the deployment: the real plan, carried out at once. Answers what was done, undefined for nothing. */
export function deploymentPass(herd: Herd): string | undefined {
  const view = herd.deploymentView();
  const { outcome, step } = plan(view);
  if (outcome.kind === 'act') {
    carryOut(herd, outcome.action);
    return `${step} ${outcome.reason}`;
  }
  herd.deployment = { ...herd.deployment, status: statusOf(view, herd.timestamp) };
  return undefined;
}

function carryOut(herd: Herd, action: MachineDeploymentAction): void {
  switch (action.do) {
    case 'createSet':
      makeSet(herd, action.set);
      return;
    case 'patchSet':
      herd.patchSet(action.set, action.patch);
      return;
    case 'scale':
      scale(herd, action);
      return;
    case 'recordRevision':
      herd.patchDeployment({ metadata: { annotations: { [ANNOTATION_REVISION]: action.revision } } });
      return;
    case 'annotate':
      herd.patchDeployment({ metadata: { annotations: action.annotations } });
      return;
    case 'mark':
      for (const { machine, annotations } of action.marks) herd.patchMachine(machine, { metadata: { annotations } });
      return;
    case 'markNodes':
      for (const { machine, change } of action.marks) herd.changeNode(machine, change);
      return;
    case 'patchMachines':
      for (const { machine, metadata } of action.patches) herd.patchMachine(machine, { metadata });
      return;
    case 'rollBack':
      herd.patchDeployment(action.patch);
      return;
    case 'deleteSets':
      herd.sets = herd.sets.filter((set) => !action.sets.some(({ metadata }) => metadata.uid === set.metadata.uid));
      return;
    default:
      throw new Error(`nothing here leads to: ${action.do}`);
  }
}

/** A name that is taken by a set of another template is a collision: the next name is another one. */
function makeSet(herd: Herd, set: MachineSet): void {
  const isTaken = herd.sets.some(({ metadata }) => metadata.name === set.metadata.name);
  if (!isTaken) {
    herd.sets.push(stored(herd, set));
    const making = { status: 'True', reason: 'NewMachineSetCreated', message: 'made' } as const;
    herd.deployment = { ...herd.deployment, status: statusOf({ ...herd.deploymentView(), making }, herd.timestamp) };
  } else herd.patchDeployment({ status: { collisionCount: (herd.deployment.status?.collisionCount ?? 0) + 1 } });
}

function stored(herd: Herd, set: MachineSet): MachineSet {
  const metadata = { ...set.metadata, uid: herd.uid(), generation: 1, creationTimestamp: herd.timestamp };
  return { ...set, metadata };
}

function scale(herd: Herd, { scalings }: Extract<MachineDeploymentAction, { do: 'scale' }>): void {
  const annotations = sizeAnnotations(numbersOf(herd.deployment));
  for (const { set, replicas } of scalings) herd.patchSet(set, { metadata: { annotations }, spec: { replicas } });
}
