import { LABEL_CLUSTER } from '../../../schemas/keys.ts';
import { type MachineSet, machineSetKind } from '../../../schemas/machineset.ts';
import { selectorChangedBeyondHash } from '../../../schemas/rules/selector.ts';
import { isEmpty } from '../../../schemas/selector.ts';
import type { Table } from '../../admission/table.ts';
import { creationTimeout } from '../annotations.ts';
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
import { madeFromRules } from '../driver.ts';
import { templateMetadata } from '../metadata.ts';
import { machineNameRules } from '../names.ts';
import { replicas, templateSpec } from '../places.ts';
import { priorityInRange, templatePriorityInRange } from '../priority.ts';
import { setTemplateReplaces } from '../replaces.ts';
import { setReadySeconds } from '../rollout.ts';
import { selectorImmutable, selectorRules, setTakesOthers } from '../selector.ts';
import { taintRules } from '../taints.ts';

/** MachineSet. */
export const machineSetTable: Table<MachineSet> = {
  kind: machineSetKind,
  guarded: ['metadata', 'spec.template.metadata', 'spec.template.spec.nodeTemplate.metadata'],
  defaults: [
    createdBy,
    replicas,
    {
      id: 'selector',
      field: 'spec.selector',
      says: "becomes the template's labels, but for the Cluster's, which alone would pick far too much; a set that has a selector cannot drop it",
      value({ spec }, { before }) {
        const { [LABEL_CLUSTER]: _cluster, ...matchLabels } = spec?.template?.metadata?.labels ?? {};
        const kept = !isEmpty(before?.spec?.selector);
        return kept || Object.keys(matchLabels).length === 0 ? undefined : { matchLabels };
      },
    },
    clusterToTemplate,
    clusterForAutoscaler,
  ],
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
    ...machineNameRules('MachineSet'),
    creationTimeout,
    setReadySeconds,
    autoscalerBounds,
    replicasInBounds,
    classNamed(templateSpec),
    ...madeFromRules(templateSpec),
    ...templateMetadata,
    ...taintRules(templateSpec),
    ...selectorRules,
    setTakesOthers,
    setTemplateReplaces,
    selectorImmutable(selectorChangedBeyondHash),
  ],
};
