import { CLUSTERAPI_GROUPS } from '../keys.ts';

/** Annotations between whose numbers a cluster-autoscaler keeps a set or deployment (hack/spec/cluster-api.md E1). */
export const BOUND_KEYS = CLUSTERAPI_GROUPS.map((owner) => ({
  min: `${owner}/cluster-api-autoscaler-node-group-min-size`,
  max: `${owner}/cluster-api-autoscaler-node-group-max-size`,
}));

const INT32_MAX = 2_147_483_647;

/** The number of machines that the text of an annotation means; undefined when it means none. */
export function boundOf(text: string): number | undefined {
  return /^\d+$/.test(text) && Number(text) <= INT32_MAX ? Number(text) : undefined;
}
