import { type MachineDeployment, machineDeploymentKind } from '../../../schemas/machinedeployment.ts';
import { selectorChanged } from '../../../schemas/rules/selector.ts';
import type { Default } from '../../admission/defaults.ts';
import type { Table } from '../../admission/table.ts';
import { creationTimeout, triggerDeletion } from '../annotations.ts';
import { clusterForAutoscaler, clusterToTemplate } from '../clusterlabel.ts';
import { createdBy } from '../createdby.ts';
import { deleteMachinesFit, deleteMachinesThere } from '../deletemachines.ts';
import { machineNameRules, nameShort } from '../names.ts';
import { replicas } from '../places.ts';
import { rollbackReplaces, templateReplaces } from '../replaces.ts';
import { deadlineAfterReady, deploymentReadySeconds, rollbackTarget, rolloutMoves } from '../rollout.ts';
import { deploymentTakesOthers, selectorImmutable, selectorRules } from '../selector.ts';
import { ownRules, templatedMetadata, templateRules } from './templated.ts';

const limits = { maxSurge: 1, maxUnavailable: 0 };

/** A strategy whose type is given comes with its block, as MCM wants it (hack/spec/mcm.md 11.3). */
const strategyBlocks: readonly Default<MachineDeployment>[] = [
  {
    id: 'rolling-update',
    field: 'spec.strategy.rollingUpdate',
    description: 'becomes maxSurge 1 and maxUnavailable 0 with type RollingUpdate',
    value: ({ spec }) => (spec?.strategy?.type === 'RollingUpdate' ? { ...limits } : undefined),
  },
  {
    id: 'in-place-update',
    field: 'spec.strategy.inPlaceUpdate',
    description: 'becomes maxSurge 1, maxUnavailable 0 and orchestrationType Auto with type InPlaceUpdate',
    value: ({ spec }) =>
      spec?.strategy?.type === 'InPlaceUpdate' ? { ...limits, orchestrationType: 'Auto' } : undefined,
  },
];

/** MachineDeployment. */
export const machineDeploymentTable: Table<MachineDeployment> = {
  kind: machineDeploymentKind,
  guarded: templatedMetadata,
  defaults: [createdBy, replicas, ...strategyBlocks, clusterToTemplate, clusterForAutoscaler],
  rules: [
    ...ownRules,
    nameShort,
    ...machineNameRules('MachineDeployment'),
    triggerDeletion,
    deleteMachinesFit,
    deleteMachinesThere,
    deadlineAfterReady,
    deploymentReadySeconds,
    rolloutMoves,
    creationTimeout,
    ...templateRules,
    rollbackTarget,
    rollbackReplaces,
    templateReplaces,
    ...selectorRules,
    deploymentTakesOthers,
    selectorImmutable(selectorChanged),
  ],
};
