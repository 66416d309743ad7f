import { LABEL_NODE } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import type { MachineClass } from '../../../schemas/machineclass.ts';
import { isLabelValue } from '../../../schemas/selector.ts';
import type { Lookup } from '../../model/class.ts';
import { clusterKeyOf } from '../../model/clusterrefs.ts';
import { knownClass } from '../../model/remembered.ts';
import { openTargetOf, type Targets } from '../../model/target.ts';
import type { Node } from '../../runtime/k8s/core.ts';

/** Where a machine is: its target cluster, empty for the default one, and its zone, empty where nobody names one. */
export interface Place {
  cluster: string;
  zone: string;
}

/** Where zones are read. */
export interface ZoneSources {
  targets: Pick<Targets, 'of'>;
  classes: Lookup<MachineClass>;
}

/** Labels that name a Node's zone: the present one, and that of before Kubernetes 1.17. */
const ZONE = 'topology.kubernetes.io/zone';
const FORMER_ZONE = 'failure-domain.beta.kubernetes.io/zone';

/**
 * Where the machine is. Its zone is what its Node says, else what it asks its Node to say, else what its class says. What no label of
 * Kubernetes can say is nobody's zone: it stands in metrics and messages, and comes from tenants and their clusters.
 */
export function placeOf({ targets, classes }: ZoneSources, machine: Machine): Place {
  const { metadata, spec } = machine;
  const cluster = clusterKeyOf(machine);
  const node: Node | undefined = openTargetOf(targets, machine)?.nodes.get(metadata.labels?.[LABEL_NODE] ?? '');
  const zone = labelled(node?.metadata.labels) ?? labelled(spec?.nodeTemplate?.metadata?.labels);
  const named = zone ?? knownClass(classes, machine)?.nodeTemplate?.zone ?? '';
  return { cluster, zone: isLabelValue(named) ? named : '' };
}

const labelled = (labels: Readonly<Record<string, string>> | undefined): string | undefined =>
  labels?.[ZONE] || labels?.[FORMER_ZONE] || undefined;
