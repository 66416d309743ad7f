import type { MachineDeployment } from '../../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../../schemas/machineset.ts';
import type { Rule } from '../../admission/rule.ts';
import { autoscalerBounds, replicasInBounds } from '../autoscaler.ts';
import { classNamed } from '../class.ts';
import {
  clusterAgrees,
  clusterBeforeEnd,
  clusterRolls,
  clusterSetOnce,
  clusterThere,
  templateClusterSetOnce,
  templateClusterThere,
} from '../clusterlabel.ts';
import { createdByStays } from '../createdby.ts';
import { madeFromRules } from '../driver.ts';
import { templateMetadata } from '../metadata.ts';
import { templateSpec } from '../places.ts';
import { priorityInRange, templatePriorityInRange } from '../priority.ts';
import { taintRules } from '../taints.ts';

/** What sets and deployments have in common: machines made from a template, so many of them. In the order in which findings are told. */

/** Metadata that is guarded, the object's own and that of what it makes. */
export const templatedMetadata = ['metadata', 'spec.template.metadata', 'spec.template.spec.nodeTemplate.metadata'];

type Templated = Rule<MachineSet> & Rule<MachineDeployment>;

/** Of the object and its Cluster, first. */
export const ownRules: readonly Templated[] = [
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
];

/** Of the number of machines, and of the template. */
export const templateRules: readonly Templated[] = [
  autoscalerBounds,
  replicasInBounds,
  classNamed(templateSpec),
  ...madeFromRules(templateSpec),
  ...templateMetadata,
  ...taintRules(templateSpec),
];
