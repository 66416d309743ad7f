import { LABEL_CLUSTER } from '../../../schemas/keys.ts';
import { type MachineSet, machineSetKind } from '../../../schemas/machineset.ts';
import { selectorChangedBeyondHash } from '../../../schemas/rules/selector.ts';
import { isEmpty } from '../../../schemas/selector.ts';
import type { Table } from '../../admission/table.ts';
import { creationTimeout } from '../annotations.ts';
import { clusterForAutoscaler, clusterToTemplate } from '../clusterlabel.ts';
import { createdBy } from '../createdby.ts';
import { machineNameRules } from '../names.ts';
import { replicas } from '../places.ts';
import { setTemplateReplaces } from '../replaces.ts';
import { setReadySeconds } from '../rollout.ts';
import { selectorImmutable, selectorRules, setTakesOthers } from '../selector.ts';
import { ownRules, templatedMetadata, templateRules } from './templated.ts';

/** MachineSet. */
export const machineSetTable: Table<MachineSet> = {
  kind: machineSetKind,
  guarded: templatedMetadata,
  defaults: [
    createdBy,
    replicas,
    {
      id: 'selector',
      field: 'spec.selector',
      description:
        "becomes the template's labels, but for the Cluster's, which alone would pick far too much; a set that has a selector cannot drop it",
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
    ...ownRules,
    ...machineNameRules('MachineSet'),
    creationTimeout,
    setReadySeconds,
    ...templateRules,
    ...selectorRules,
    setTakesOthers,
    setTemplateReplaces,
    selectorImmutable(selectorChangedBeyondHash),
  ],
};
