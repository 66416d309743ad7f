import {
  ANNOTATION_CLUSTERAPI_REVISION,
  ANNOTATION_REVISION,
  LABEL_CLUSTERAPI_CLUSTER,
  LABEL_DEPLOYMENT_NAME,
} from '../../schemas/keys.ts';
import { clusterOf } from '../../schemas/rules/cluster.ts';
import { isLabelValue } from '../../schemas/selector.ts';

/**
 * Marks that the cluster-autoscaler's clusterapi provider reads (hack/spec/cluster-api.md E1, E3.5). Deployment and revision are in Cluster API's
 * spelling, whatever the group of the objects: by them it leaves a deployment alone while older sets still have machines. The
 * Cluster is under the group of the objects: by it the provider finds those of `clusterName=…`.
 */

/** Labels that tell of which deployment a set or machine is; none for a name that no label has room for. */
export const deploymentLabels = (name: string | undefined): Record<string, string> =>
  name && isLabelValue(name) ? { [LABEL_DEPLOYMENT_NAME]: name } : {};

/** The label that tells an autoscaler of which Cluster an object is whose labels, or whose template's labels, name one. */
export function clusterLabels(labels: Readonly<Record<string, string>> | undefined): Record<string, string> {
  const name = clusterOf(labels);
  return name === undefined ? {} : { [LABEL_CLUSTERAPI_CLUSTER]: name };
}

/** The sequence number of a rollout, for MCM's tools and for the autoscaler. */
export const revisionMarks = (revision: number): Record<string, string> => ({
  [ANNOTATION_REVISION]: String(revision),
  [ANNOTATION_CLUSTERAPI_REVISION]: String(revision),
});
