import type { ReasonRow } from '../../flow/reasons.ts';

/** What one reason of a drain means. */
interface DrainReasonRow extends ReasonRow {
  /** Nobody knows the pods, or the rules for them: while it is waited for that, the time of the drain does not run. */
  blind?: true;
}

/** Why a drain decides as it does. */
export const drainReasons = {
  PodsUnknown: {
    says: 'The pods of the target cluster cannot be listed, or it lists more than 5,000 pods of the Node, which no Node can have: the message says which. The drain waits for them, and only force ends it before. If the list is too large, raise `--cluster-cache-mib` or `--all-clusters-cache-mib`; of one Node that has too many find out who makes them.',
    event: 'Warning',
    blind: true,
  },
  EvictPods: {
    says: 'Pods of the Node are asked to leave, as far as their disruption budgets allow.',
    routine: true,
  },
  GetVolumes: {
    says: 'It is looked up which volumes pods of the Node have, before they are asked to leave.',
    routine: true,
  },
  GetLabels: {
    says: 'It is looked up which labels pods of the Node and their namespaces have, for a MachineDrainRule selects by them.',
    routine: true,
  },
  GetPods: {
    says: 'No pod is left as far as the watch of pods has shown: the API server is asked for those of the Node before the drain ends. One that cannot list them for 150 s is waited for no more.',
    routine: true,
  },
  PodCacheStale: {
    says: 'The API server lists pods of the Node that its watch has not shown yet: the drain waits for them, and asks again every 5 s, until its time is over.',
    event: 'Warning',
  },
  DrainRulesUnknown: {
    says: 'The MachineDrainRules of the namespace cannot be listed, or can be followed no longer: nothing was heard of them for 100 s, or the right to watch them is missing. The drain waits for them, and only force ends it before. The log of the controller says why.',
    event: 'Warning',
    blind: true,
  },
  DrainRulesUndecided: {
    says: 'It is not known which pods of the Node may be asked to leave: a MachineDrainRule cannot be understood, or the labels that they select by cannot be looked up. The drain’s time runs.',
    event: 'Warning',
  },
  PodsCompleting: {
    says: 'Pods of the Node are to complete by themselves, as a MachineDrainRule or their label says: they are waited for until the drain’s time is over.',
  },
  DeletePods: {
    says: 'Pods of the Node are deleted without grace: the drain has run out of time, is forced, or their budgets have refused them for as long as `maxEvictRetries` says.',
  },
  PodsLeaving: { says: 'Pods of the Node have been asked to leave, and have not ended yet.' },
  EvictionRefused: {
    says: 'Pods of the Node may not leave yet: `status.deletion.drain.pods` tells why.',
    event: 'Normal',
  },
  BudgetMisconfigured: {
    says: 'A disruption budget never lets a pod of the Node go, though all its pods are well: change it, or wait for the end of the drain’s time.',
    event: 'Warning',
  },
  EvictionFailed: {
    says: 'An eviction or deletion of a pod was not taken, or it could not be looked up which volumes it has: it is tried again.',
    event: 'Warning',
  },
  VolumesMoving: {
    says: 'Volumes of a pod that left are being detached here and attached elsewhere.',
    event: 'Normal',
  },
  VolumesMoved: { says: 'Volumes of a pod that left are gone from the Node, or have had their time.' },
} as const satisfies Readonly<Record<string, DrainReasonRow>>;

/** A reason of a drain's decision. */
export type DrainReason = keyof typeof drainReasons;

/** A reason of a wait during which a drain knows no pods of its Node, or no rules for them. */
export type BlindReason = {
  [K in DrainReason]: (typeof drainReasons)[K] extends { blind: true } ? K : never;
}[DrainReason];

/** Those of them that the table says. */
export const blindReasons: ReadonlySet<string> = new Set(
  Object.entries<DrainReasonRow>(drainReasons).flatMap(([reason, { blind }]) => (blind ? [reason] : [])),
);
