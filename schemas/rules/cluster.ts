import { LABEL_CLUSTER } from '../keys.ts';

type Labels = Readonly<Record<string, string>> | null | undefined;

/** The Cluster that labels name; an empty label names none, like an absent one (hack/decisions/0000 4). */
export const clusterOf = (labels: Labels): string | undefined => labels?.[LABEL_CLUSTER] || undefined;

/** Whether labels that named a Cluster now name another one, or none. */
export const leftCluster = (now: Labels, before: Labels): boolean =>
  clusterOf(before) !== undefined && clusterOf(now) !== clusterOf(before);

/** Whether labels that named no Cluster now name one. */
export const joinedCluster = (now: Labels, before: Labels): boolean =>
  clusterOf(before) === undefined && clusterOf(now) !== undefined;

/** Whether an object and its template name different Clusters. */
export const disagree = (own: Labels, template: Labels): boolean =>
  clusterOf(own) !== undefined && clusterOf(template) !== undefined && clusterOf(own) !== clusterOf(template);
