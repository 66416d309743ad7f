import { LABEL_CLUSTER } from '../../schemas/keys.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { clusterOf, disagree } from '../../schemas/rules/cluster.ts';
import { machineSpecFault } from '../../schemas/rules/machinespec.ts';
import { finalizerFindings } from '../../schemas/selector.ts';

/** Why no machine can be made from a template, although nobody refused it; undefined when one can (decisions 2 and 3). */
export function templateFault({ metadata, spec }: MachineSet | MachineDeployment): string | undefined {
  const template = spec?.template;
  const labels = template?.metadata?.labels;
  if (disagree(metadata.labels, labels))
    return `spec.template.metadata.labels[${LABEL_CLUSTER}] is "${clusterOf(labels)}", that of metadata.labels "${clusterOf(metadata.labels)}": machines belong to the cluster of what makes them`;
  const [finding] = finalizerFindings('spec.template.metadata.finalizers', template?.metadata?.finalizers ?? []);
  if (finding) return `${finding.at} ${finding.message}`;
  return machineSpecFault(template?.spec, 'spec.template.spec');
}

/** The condition that shows a fault of a spec; there is none while there is no fault. */
export const specCondition = (message: string | undefined) =>
  message === undefined ? undefined : ({ type: 'SpecValid', status: 'False', reason: 'SpecInvalid', message } as const);
