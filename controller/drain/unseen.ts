import type { Target } from '../model/target.ts';
import type { Clock } from '../runtime/clock.ts';
import { beginning } from '../runtime/cuttext.ts';
import { keyOf } from '../runtime/k8s/object.ts';
import { type Pod, pods } from '../runtime/k8s/workload.ts';
import { accountOf } from '../runtime/memory/cacheroom.ts';
import { isDrained, NOT_ENDED, slimPod } from '../targets/pods.ts';
import type { ListedFact, UnseenPods } from './flow/view.ts';
import { Lookup, type LookupParts } from './lookup.ts';

/** How soon a list that showed pods of which the watch knows nothing is asked for again. */
const AGAIN_MS = 5_000;
const TIMEOUT_MS = 15_000;
/** More is not read of the pods of a Node: bytes (weight.ts), and far more pods than one has. */
const MOST = { objects: 5_000, bytes: 1 << 20 };
/** Pods that are named, and as much of a name as can be one (namespace, slash and pod). */
const NAMED = { pods: 3, length: 317 };

/**
 * Pods of the Node that its API server has and the cache does not show, by one list: the latest state, whatever the server's own cache and
 * its watches have got (no `resourceVersion`), and without a limit, for which older servers pass their cache over and read all pods of
 * the cluster (hack/decisions/0012).
 */
export async function listUnseen(
  { target, nodeName }: { target: Target; nodeName: string },
  signal: AbortSignal,
): Promise<UnseenPods> {
  const { items } = await target.api.list(pods, {
    fieldSelector: `spec.nodeName=${nodeName},${NOT_ENDED}`,
    signal,
    timeoutMs: TIMEOUT_MS,
    pageSize: 0,
    keep: (pod) => ({ metadata: slimPod(pod).metadata }),
    most: MOST,
    account: accountOf(MOST.bytes),
  });
  const isShown = ({ metadata }: Pod) => target.pods.get(keyOf({ metadata }))?.metadata.uid === metadata.uid;
  const unseen = items.filter((pod) => isDrained(pod) && !isEnding(pod) && !isShown(pod));
  return { count: unseen.length, some: unseen.slice(0, NAMED.pods).map(nameOf) };
}

/** Deleted without grace: no drain waits for it. */
const isEnding = ({ metadata: { deletionTimestamp, deletionGracePeriodSeconds } }: Pod): boolean =>
  deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0;

const nameOf = ({ metadata: { namespace, name } }: Pod): string => beginning(`${namespace}/${name}`, NAMED.length);

/**
 * What the API server's own list said of a drain's Node. It counts while the cache shows no pod, and while the Node stays cordoned: what
 * comes later is asked for anew. Moments are monotonic.
 */
export class ListedPods {
  readonly #clock: Clock;
  readonly #lookup: Lookup<UnseenPods>;
  #since: number | undefined;
  #wasCordoned = false;

  constructor(parts: LookupParts) {
    this.#clock = parts.clock;
    this.#lookup = new Lookup(parts);
  }

  /** What is seen of the Node now. */
  follow({ isEmpty, isCordoned }: { isEmpty: boolean; isCordoned: boolean }): void {
    if (!isEmpty || (this.#wasCordoned && !isCordoned)) this.drop();
    this.#wasCordoned = isCordoned;
  }

  /** How far it is known. @param wall what the wall clock shows for a moment, or the end of an outage after it */
  fact(wall: (moment: number) => number): ListedFact {
    const { value: unseen, failure: why } = this.#lookup;
    return {
      due: unseen?.count !== 0 && this.#lookup.isDue(AGAIN_MS),
      ...(unseen && { unseen }),
      ...(this.#since !== undefined && { since: wall(this.#since) }),
      ...(why !== undefined && { why }),
    };
  }

  /** Asks, unless that is under way. */
  lookUp(run: (signal: AbortSignal) => Promise<UnseenPods>): void {
    this.#since ??= this.#clock.monotonic();
    this.#lookup.start(run);
  }

  /** Nothing that was said, or is on its way, counts any more. */
  drop(): void {
    this.#lookup.drop();
    this.#since = undefined;
  }
}
