import type { PodFact } from './view.ts';

/** The pods of a Node by whose turn it is (Cluster API, MachineDrainRule). */
export interface Waves {
  /** The lowest order of a pod that is there: those of a higher one wait until these are gone. */
  order: number;
  /** Pods of that order that are made to leave. */
  leaving: readonly PodFact[];
  /** Pods of that order that are waited for until they have completed. */
  completing: readonly PodFact[];
  /** Pods of a higher order. */
  later: readonly PodFact[];
}

/** The order in which a pod leaves, as far as nobody says another one. */
export const orderOf = ({ order = 0 }: Pick<PodFact, 'order'>): number => order;

/** Whose turn it is. A pod that somebody else asked to leave is not waited for to complete: it ends as any other. */
export function wavesOf(pods: readonly PodFact[]): Waves {
  const order = pods.reduce((least, pod) => Math.min(least, orderOf(pod)), Infinity);
  const now = pods.filter((pod) => orderOf(pod) === order);
  return {
    order,
    leaving: now.filter((pod) => !isCompleting(pod)),
    completing: now.filter(isCompleting),
    later: pods.filter((pod) => orderOf(pod) !== order),
  };
}

const isCompleting = ({ completing, endsAt }: PodFact): boolean => completing === true && endsAt === undefined;
