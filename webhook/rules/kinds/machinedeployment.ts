import { type MachineDeployment, machineDeploymentKind } from '../../../schemas/machinedeployment.ts';
import { selectorChanged } from '../../../schemas/rules/selector.ts';
import type { Default } from '../../admission/defaults.ts';
import type { Table } from '../../admission/table.ts';
import { creationTimeout, triggerDeletion } from '../annotations.ts';
import { autoscalerBounds, replicasInBounds } from '../autoscaler.ts';
import { classNamed } from '../class.ts';
import {
  clusterAgrees,
  clusterBeforeEnd,
  clusterForAutoscaler,
  clusterRolls,
  clusterSetOnce,
  clusterThere,
  clusterToTemplate,
  templateClusterSetOnce,
  templateClusterThere,
} from '../clusterlabel.ts';
import { createdBy, createdByStays } from '../createdby.ts';
import { deleteMachinesFit } from '../deletemachines.ts';
import { madeFromRules } from '../driver.ts';
import { templateMetadata } from '../metadata.ts';
import { machineNameRules, nameShort } from '../names.ts';
import { replicas, templateSpec } from '../places.ts';
import { priorityInRange, templatePriorityInRange } from '../priority.ts';
import { rollbackReplaces, templateReplaces } from '../replaces.ts';
import { deadlineAfterReady, deploymentReadySeconds, rollbackTarget, rolloutMoves } from '../rollout.ts';
import { deploymentTakesOthers, selectorImmutable, selectorRules } from '../selector.ts';
import { taintRules } from '../taints.ts';

const limits = { maxSurge: 1, maxUnavailable: 0 };

/** A strategy whose type is given comes with its block, as MCM wants it (MCM 11.3). */
const strategyBlocks: readonly Default<MachineDeployment>[] = [
  {
    id: 'rolling-update',
    field: 'spec.strategy.rollingUpdate',
    says: 'becomes maxSurge 1 and maxUnavailable 0 with type RollingUpdate',
    value: ({ spec }) => (spec?.strategy?.type === 'RollingUpdate' ? { ...limits } : undefined),
  },
  {
    id: 'in-place-update',
    field: 'spec.strategy.inPlaceUpdate',
    says: 'becomes maxSurge 1, maxUnavailable 0 and orchestrationType Auto with type InPlaceUpdate',
    value: ({ spec }) =>
      spec?.strategy?.type === 'InPlaceUpdate' ? { ...limits, orchestrationType: 'Auto' } : undefined,
  },
];

/** MachineDeployment. */
export const machineDeploymentTable: Table<MachineDeployment> = {
  kind: machineDeploymentKind,
  guarded: ['metadata', 'spec.template.metadata', 'spec.template.spec.nodeTemplate.metadata'],
  defaults: [createdBy, replicas, ...strategyBlocks, clusterToTemplate, clusterForAutoscaler],
  rules: [
    createdByStays,
    priorityInRange,
    templatePriorityInRange,
    clusterSetOnce,
    clusterBeforeEnd,
    templateClusterSetOnce,
    clusterAgrees,
    ...clusterThere,
    ...templateClusterThere,
    clusterRolls,
    nameShort,
    ...machineNameRules('MachineDeployment'),
    triggerDeletion,
    deleteMachinesFit,
    deadlineAfterReady,
    deploymentReadySeconds,
    rolloutMoves,
    creationTimeout,
    autoscalerBounds,
    replicasInBounds,
    classNamed(templateSpec),
    ...madeFromRules(templateSpec),
    ...templateMetadata,
    ...taintRules(templateSpec),
    rollbackTarget,
    rollbackReplaces,
    templateReplaces,
    ...selectorRules,
    deploymentTakesOthers,
    selectorImmutable(selectorChanged),
  ],
};
