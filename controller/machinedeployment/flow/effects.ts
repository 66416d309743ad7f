import type { Effects, Gating } from '../../safety/outage/hold.ts';
import type { MachineDeploymentAction, MachineDeploymentView } from './view.ts';

/** What each action does to the machines of a deployment. */
export const effects: Effects<MachineDeploymentAction, MachineDeploymentView> = {
  addFinalizer: 'harmless',
  markSelf: 'harmless',
  tellFreeze: 'harmless',
  adopt: 'harmless',
  release: 'harmless',
  // Beside machines of an older template this is the first step of a rollout.
  createSet: (_, { sets }) => (sets.some(({ machines }) => machines.length > 0) ? 'destroys' : 'makes'),
  patchSet: 'harmless',
  scale: ({ scalings }) =>
    scalings.some(({ set, replicas }) => replicas < (set.spec?.replicas ?? 0)) ? 'destroys' : 'makes',
  annotate: 'harmless',
  takeVictims: 'harmless',
  mark: 'harmless',
  markNodes: 'destroys',
  patchMachines: 'destroys',
  recordRevision: 'harmless',
  rollBack: 'destroys',
  deleteSets: 'destroys',
  removeFinalizer: 'destroys',
};

/** Steps of a rollout: none is taken, whatever it does. */
const ROLLING: ReadonlySet<string> = new Set(['RolledBack', 'NodesPrepared', 'Transferred', 'Rolled', 'Tidied']);

/** How the gate treats MachineDeployments. */
export const gating: Gating<MachineDeploymentAction, MachineDeploymentView> = {
  effects,
  judges: ({ step, outcome }) => outcome.kind === 'act' && ROLLING.has(step),
};
