import type { Driver } from '../drivers/sdk/driver.ts';
import type { Target } from '../model/target.ts';
import type { ClaimedVolumes, Volume } from './claims.ts';
import type { RulesFact } from './flow/rules.ts';
import type { Verdicts } from './flow/verdicts.ts';
import type { DrainLimits, PodFact } from './flow/view.ts';
import type { SeenLabels } from './labels.ts';
import type { RoomInUse } from './lookup.ts';
import type { PodMemory } from './podtracker.ts';
import type { ListedPods } from './unseen.ts';

/** A drain that somebody asks for. All its moments are those of the wall clock. */
export interface DrainRequest {
  /** The key that is enqueued when something has changed. */
  key: string;
  /** UID of the Machine whose Node it is. */
  uid: string;
  nodeName: string;
  target: Target;
  /** See {@link DrainView.deadline}: Infinity until there is one. */
  deadline: number;
  /** See {@link DrainView.forced}. */
  forced: boolean;
  /** What lasted before lasts only since then, when an outage ended. */
  clocksFrom?: number;
  /** When the drain began: what was refused before does not count. */
  startedAt?: number;
  /** Since when pods (namespace/name) were refused before this process knew of it. */
  refusedSince?: ReadonlyMap<string, number>;
  limits: DrainLimits;
  /** See {@link DrainView.volumesUnawaited}. */
  volumesUnawaited?: true;
  /** Which rules there are for the pods of the Node. */
  rules: RulesFact;
  /** The driver's word on which volumes are its own; absent when it has none. */
  getVolumeIDs?: Driver['getVolumeIDs'];
}

/** Volumes on their way since their pod was asked to leave. */
export interface Handover {
  pod: Pick<PodFact, 'namespace' | 'name' | 'uid' | 'graceMs'>;
  volumes: readonly Volume[];
  since: number;
  detachedAt?: number;
}

/** What a drain knows beside what the caches show. Lost with the process: it is found out again. Moments are monotonic, but for those of the request. */
export interface DrainMemory {
  request: DrainRequest;
  pods: Map<string, PodMemory>;
  /** Budgets that refused one of them, namespace/name, as it was when they were last looked at. */
  refusedBy: ReadonlySet<string>;
  handover?: Handover | undefined;
  volumesLate: boolean;
  /** Which volumes the claims of the Node's pods are. */
  claims: ClaimedVolumes;
  /** What rules say of the pods, and the labels that they select by. */
  verdicts: Verdicts;
  labels: SeenLabels;
  /** What the API server's own list said of pods. */
  listed: ListedPods;
  /** PersistentVolumes that were not detached in their time: they are waited for no longer. */
  late: Set<string>;
  /** Since when volumes of pods that left unseen have been waited for. */
  straysSince?: number | undefined;
  /** What pods and claims take of the memory that the target may take. */
  kept: RoomInUse;
  /** Calls that the API server answered. */
  answered: number;
  reportedAt: number;
  /** The API server said something new of a pod since then. */
  trouble: boolean;
  /** Since when the pods cannot be listed, and for how long they could not before, milliseconds. */
  blind: { since?: number | undefined; ms: number };
  abort: AbortController;
}
