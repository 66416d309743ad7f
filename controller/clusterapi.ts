import { ANNOTATION_CLUSTERAPI_REVISION, ANNOTATION_REVISION, LABEL_DEPLOYMENT_NAME } from '../schemas/keys.ts';
import { isLabelValue } from '../schemas/selector.ts';

/**
 * Marks that the cluster-autoscaler's clusterapi provider reads in Cluster API's spelling, whatever the group of the
 * objects (CKV E1, E3.5): by them it leaves a deployment alone while older sets still have machines.
 */

/** Labels that tell of which deployment a set or machine is; none for a name that no label has room for. */
export const deploymentLabels = (name: string | undefined): Record<string, string> =>
  name && isLabelValue(name) ? { [LABEL_DEPLOYMENT_NAME]: name } : {};

/** The sequence number of a rollout, for MCM's tools and for the autoscaler. */
export const revisionMarks = (revision: number): Record<string, string> => ({
  [ANNOTATION_REVISION]: String(revision),
  [ANNOTATION_CLUSTERAPI_REVISION]: String(revision),
});
