import type { Outcome, ReasonRow } from '../../flow/flow.ts';

/** How the API server answered the last attempt to make a pod leave. */
export interface PodAnswer {
  result: 'Refused' | 'Misconfigured' | 'Failed';
  /** For people; names the disruption budget that refused. */
  reason: string;
}

/** A pod that a drain makes leave (hack/spec/mcm.md 7.1), and how far it has come. Times are milliseconds. */
export interface PodFact {
  namespace: string;
  name: string;
  uid: string;
  priority: number;
  /** Time that it may take to end. */
  graceMs: number;
  /** When it is to be gone by; absent until it was evicted or deleted. */
  endsAt?: number;
  /** It was deleted without any grace: a drain by force waits for it no more, one in good time until it is gone. */
  killed: boolean;
  /** Claims of volumes that no other pod of the Node uses, as namespace/name. */
  claims: readonly string[];
  /** Its volumes are being looked up: until then neither it nor another pod with volumes is evicted. */
  lookedUp: 'known' | 'pending' | 'failed';
  /** It has volumes of a claim, so that it leaves in its turn (hack/spec/mcm.md 7.4). */
  serial: boolean;
  /** Its volumes have been looked up, and whether they move is being followed. */
  followed: boolean;
  /** The call for it that is in flight. */
  inFlight?: 'eviction' | 'deletion';
  /** Since when its eviction has been refused: for as long as its drain lasts, at most. */
  refusedSince?: number;
  /** It may be asked again at once, for the budget that refused it (namespace/name) lets so many pods go by now. */
  freed?: { budget: string; allowed: number };
  /** The budget that refused it, or would be asked, namespace/name. */
  budget?: string;
  /** Absent: 0. Pods of a higher order wait until those of lower ones are gone. */
  order?: number;
  /** It is not asked to leave, but waited for until it has completed. */
  completing?: true;
  /** Who says so, in words. */
  by?: string;
  /** What is to become of it is being looked up. */
  undecided?: true;
  /** A rule may skip it: which pods that picks is not known, or being looked up. */
  maySkip?: true;
  /** Not tried again before; -Infinity when never tried. */
  retryAt: number;
  /** Not deleted again before; -Infinity when never deleted. */
  deleteAt: number;
  answer?: PodAnswer;
}

/** A pod that a drain lets be, and who says so, in words. */
export interface SkippedPod {
  /** namespace/name. */
  name: string;
  by: string;
}

/** Labels that have to be looked up before it is known which pods may leave. */
export interface LabelsDue {
  /** Those of the pods of the Node. */
  pods: boolean;
  /** Namespaces by their name. */
  namespaces: readonly string[];
}

/** Pods of a Node that its API server lists and the cache does not show. */
export interface UnseenPods {
  count: number;
  /** Some of them, as namespace/name. */
  some: readonly string[];
}

/** What the API server's own list says of the Node, after it was cordoned and while the cache shows no pods. */
export interface ListedFact {
  /** It is to be asked for now. */
  due: boolean;
  /** Absent before the first answer. */
  unseen?: UnseenPods;
  /** Since when it has been asked for. */
  since?: number;
  /** Why it failed at last. */
  why?: string;
}

/** Volumes of a pod that was made to leave, on their way to another Node. */
export interface HandoverFact {
  /** Pod as namespace/name. */
  pod: string;
  /** The pod is still here, or one of its volumes is. */
  here: boolean;
  /** Each of the volumes is attached to another Node. */
  elsewhere: boolean;
  /** When waiting for pod and volumes to be gone from the Node ends. */
  detachBy: number;
  /** When waiting for the volumes to be attached elsewhere ends; absent until they were seen gone from here. */
  reattachBy?: number;
}

/** Times of a drain, in milliseconds (hack/spec/mcm.md 3.3). */
export interface DrainLimits {
  timeoutMs: number;
  detachMs: number;
  reattachMs: number;
  /** A pod that was refused for so long is deleted. */
  refusedMs: number;
}

/** How many more calls may start: for pods that were not asked in vain before, and for those that were. */
export interface Room {
  first: number;
  again: number;
}

/** Everything that one decision about the drain of a Node needs. Times are milliseconds since the epoch. */
export interface DrainView {
  now: number;
  /**
   * Up to here pods are only evicted; from here on they are deleted without grace, for a minute, or for five at most while
   * there are some to which no deletion was sent (hack/decisions/0051 L60). It stands in the status as wall time, for it
   * outlives this process, and begins anew after a step of the clock (hack/decisions/0031).
   */
  deadline: number;
  /** By label, or because the Node is lost, its pods are given up: that its time is over is no such force. */
  forced: boolean;
  /** The pods of the Node have been listed, and the rules for them: before, nothing is known of them. */
  podsKnown: boolean;
  /** Only the rules for the pods cannot be listed. */
  rulesUnknown?: true;
  /** The Node is said to have more pods, claims of these and VolumeAttachments than any can have: none of the pods is looked at. */
  crowded?: true;
  /** Those that leave, or complete. */
  pods: readonly PodFact[];
  listed: ListedFact;
  /** Those that a rule or their label spares, whatever is done by force. */
  skipped?: readonly SkippedPod[];
  /** Why it cannot be known which pods may leave, in words. */
  undecided?: string;
  /** It is being looked up. */
  labelsPending?: true;
  labelsDue?: LabelsDue;
  /** Not all pods have been held against the rules yet, which takes longer than one look may. */
  unjudged?: true;
  handover?: HandoverFact;
  /**
   * VolumeAttachments of the Node, and whether a pod that is there uses the volume, or may; whether one that is skipped does, or, as long as
   * it is `unsure` which volumes those have, may. Absent until they have been listed.
   */
  attachments?: ReadonlyArray<{ name: string; leaving: boolean; used: boolean; spared?: true; unsure?: true }>;
  /** Claims of pods, as namespace/name, of which it is to be looked up now which volumes they are. */
  lookUp: readonly string[];
  /** PersistentVolumes of pods that left, still attached here, and when waiting for them ends; absent when there are none. */
  strays?: { volumes: readonly string[]; detachBy: number };
  /** A label says not to wait for volumes: pods with volumes are evicted like the others. */
  volumesUnawaited?: true;
  /** Volumes of a pod did not come off the Node in their time. */
  volumesLate: boolean;
  /** How many more calls of each kind may start now. */
  room: { eviction: Room; deletion: Room };
  /** The list of pods in the status may be brought up to date. */
  reportDue: boolean;
  limits: DrainLimits;
}

/** What a drain does next; none of it is waited for. */
export type DrainAction =
  | { do: 'evictPods'; pods: readonly PodFact[] }
  /** By force nobody waits for volumes. */
  | { do: 'deletePods'; pods: readonly PodFact[]; byForce: boolean }
  /** The volumes are gone from the Node: the time for their attachment elsewhere begins. */
  | { do: 'noteDetached' }
  | { do: 'endHandover'; late: boolean }
  /** Names of PersistentVolumes for which no other pod waits any longer. */
  | { do: 'giveUpVolumes'; volumes: readonly string[] }
  /** Claims as namespace/name. */
  | { do: 'lookUpClaims'; claims: readonly string[] }
  | { do: 'lookUpLabels'; labels: LabelsDue }
  | { do: 'lookUpPods' };

/** What a drain answers; `pass` means that it has ended. */
export type DrainOutcome = Outcome<DrainAction, DrainReason>;

/** What one reason of a drain means. */
interface DrainReasonRow extends ReasonRow {
  /** The pods, or the rules for them, are unknown: while the drain waits for that, its time-out does not run. */
  blind?: true;
}

/** Why a drain decides as it does. */
export const drainReasons = {
  PodsUnknown: {
    help: 'The pods of the target cluster cannot be listed, or it lists more than 5,000 pods of the Node, which no Node can have: the message says which. The drain waits for them, and only force ends it before. If the list is too large, raise `--cluster-cache-mib` or `--all-clusters-cache-mib`; of one Node that has too many find out who makes them.',
    event: 'Warning',
    blind: true,
  },
  EvictPods: {
    help: 'Pods of the Node are asked to leave, as far as their disruption budgets allow.',
    routine: true,
  },
  GetVolumes: {
    help: 'It is looked up which volumes pods of the Node have, before they are asked to leave.',
    routine: true,
  },
  GetLabels: {
    help: 'It is looked up which labels pods of the Node and their namespaces have, for a MachineDrainRule selects by them.',
    routine: true,
  },
  GetPods: {
    help: 'No pod is left as far as the watch of pods has shown: the API server is asked for those of the Node before the drain ends. One that cannot list them for 150 s is waited for no more.',
    routine: true,
  },
  PodCacheStale: {
    help: 'The API server lists pods of the Node that its watch has not shown yet: the drain waits for them, and asks again every 5 s, until its time is over.',
    event: 'Warning',
  },
  DrainRulesUnknown: {
    help: 'The MachineDrainRules of the namespace cannot be listed, or can be followed no longer: nothing was heard of them for 100 s, or the right to watch them is missing. The drain waits for them, and only force ends it before. The log of the controller says why.',
    event: 'Warning',
    blind: true,
  },
  DrainRulesUndecided: {
    help: 'It is not known which pods of the Node may be asked to leave: a MachineDrainRule cannot be understood, or the labels that they select by cannot be looked up. The drain’s time runs.',
    event: 'Warning',
  },
  PodsCompleting: {
    help: 'Pods of the Node are to complete by themselves, as a MachineDrainRule or their label says: they are waited for until the drain’s time is over.',
  },
  DeletePods: {
    help: 'Pods of the Node are deleted without grace: the drain has run out of time, is forced, or their budgets have refused them for as long as `maxEvictRetries` says.',
  },
  PodsTerminating: { help: 'Pods of the Node have been asked to leave, and have not ended yet.' },
  EvictionBlocked: {
    help: 'Pods of the Node may not leave yet: `status.deletion.drain.pods` tells why.',
    event: 'Normal',
  },
  PodDisruptionBudgetMisconfigured: {
    help: 'A disruption budget never lets a pod of the Node go, though all its pods are well: change it, or wait for the end of the drain’s time.',
    event: 'Warning',
  },
  EvictionFailed: {
    help: 'An eviction or deletion of a pod was not taken, or it could not be looked up which volumes it has: it is tried again.',
    event: 'Warning',
  },
  WaitingForVolumes: {
    help: 'Volumes of a pod that left are being detached here and attached elsewhere.',
    event: 'Normal',
  },
  VolumesMoved: { help: 'Volumes of a pod that left are gone from the Node, or have had their time.' },
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
