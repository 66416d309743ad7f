import { LABEL_CLUSTER } from '../schemas/keys.ts';
import { type MachineSet, machineSetKind } from '../schemas/machineset.ts';
import { selectorChangedBeyondHash } from '../schemas/rules/selector.ts';
import { isEmpty } from '../schemas/selector.ts';
import { clusterSetOnce, clusterToTemplate, templateClusterSetOnce } from './clusterlabel.ts';
import { priorityInRange, templatePriorityInRange } from './priority.ts';
import { selectorImmutable, selectorRules } from './selector.ts';
import type { Table } from './table.ts';
import { createdBy, createdByStays } from './createdby.ts';
import { madeFromRules } from './madefrom.ts';
import { templateMetadata } from './metadata.ts';
import { machineNameRules } from './names.ts';
import { setTakesOthers } from './overlap.ts';
import { replicas } from './templated.ts';

/** MachineSet. */
export const machineSetTable: Table<MachineSet> = {
  kind: machineSetKind,
  guarded: ['metadata', 'spec.template.metadata'],
  defaults: [
    replicas,
    {
      id: 'selector',
      field: 'spec.selector',
      says: "becomes the template's labels, but for the Cluster's, which alone would pick far too much; a set that has a selector cannot drop it",
    createdBy,
      value({ spec }, { before }) {
        const { [LABEL_CLUSTER]: _cluster, ...matchLabels } = spec?.template?.metadata?.labels ?? {};
        const kept = !isEmpty(before?.spec?.selector);
        return kept || Object.keys(matchLabels).length === 0 ? undefined : { matchLabels };
      },
    },
    clusterToTemplate,
  ],
  rules: [
    priorityInRange,
    templatePriorityInRange,
    clusterSetOnce,
    templateClusterSetOnce,
    ...selectorRules,
    createdByStays,
    selectorImmutable(selectorChangedBeyondHash),
  ],
};
