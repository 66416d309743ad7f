import { type Cluster, KUBECONFIG_KEY } from '../../schemas/cluster.ts';
import type { Connection } from '../runtime/client/connection.ts';
import type { Judging } from '../runtime/client/judgedsend.ts';
import { beginning } from '../runtime/cuttext.ts';
import type { Secret } from '../runtime/k8s/core.ts';
import { keyOf } from '../runtime/k8s/object.ts';
import { selfContainedConnection } from '../runtime/kubeconfig/text.ts';
import type { Cache } from '../runtime/watch/cache.ts';
import type { KubeconfigFact } from './flow.ts';

/** A kubeconfig as it stands, and the connection that it describes. */
export type Kubeconfig = KubeconfigFact & { connection?: Connection };

/** Where a kubeconfig stands. */
interface Place {
  namespace: string;
  secret: string;
  key: string;
}

/** What was read, what came out, and for whom: keys of Clusters. */
interface Read {
  encoded: string;
  kubeconfig: Kubeconfig;
  clusters: Set<string>;
}

/** Longest complaint about a kubeconfig, which may quote it, in characters. */
const MOST_SAID = 700;

/**
 * The kubeconfigs of Clusters. Each text is read once, however many Clusters name it and however often they are looked at: 65,536
 * characters of somebody's YAML take the parser ten milliseconds (hack/decisions/0028 T9, T18).
 */
export class Kubeconfigs {
  readonly #secrets: Cache<Secret>;
  readonly #judging: Judging;
  /** By the place, as long as a Cluster names it. */
  readonly #read = new Map<string, Read>();
  /** The place that each Cluster names, by its key. */
  readonly #named = new Map<string, string>();

  /** @param parts `judging`: where their servers may be */
  constructor({ secrets, judging }: { secrets: Cache<Secret>; judging: Judging }) {
    this.#secrets = secrets;
    this.#judging = judging;
  }

  /** How the kubeconfig of a Cluster stands now. */
  of(cluster: Cluster): Kubeconfig {
    const { name: secret, key = KUBECONFIG_KEY } = cluster.spec?.kubeconfigSecretRef ?? {};
    if (secret === undefined)
      return { at: 'invalid', why: 'spec.kubeconfigSecretRef is missing: name the Secret there' };
    const namespace = cluster.metadata.namespace ?? '';
    const data = this.#secrets.get(`${namespace}/${secret}`)?.data;
    const encoded = data?.[key];
    if (!data) return { at: 'missing', why: `Secret "${secret}" does not exist` };
    if (encoded === undefined) return { at: 'missing', why: `Secret "${secret}" has no key "${key}"` };
    return this.#at({ namespace, secret, key }, encoded, keyOf(cluster));
  }

  /** The Cluster of this key is gone. */
  forget(key: string): void {
    const place = this.#named.get(key) ?? '';
    const clusters = this.#read.get(place)?.clusters;
    this.#named.delete(key);
    clusters?.delete(key);
    if (clusters?.size === 0) this.#read.delete(place);
  }

  #at(place: Place, encoded: string, cluster: string): Kubeconfig {
    const name = `${place.namespace}/${place.secret}/${place.key}`;
    if (this.#named.get(cluster) !== name) this.forget(cluster);
    const known = this.#read.get(name);
    const kubeconfig = known?.encoded === encoded ? known.kubeconfig : this.#readAnew(place, encoded);
    const clusters = known?.clusters ?? new Set();
    this.#read.set(name, { encoded, kubeconfig, clusters: clusters.add(cluster) });
    this.#named.set(cluster, name);
    return kubeconfig;
  }

  #readAnew({ secret, key }: Place, encoded: string): Kubeconfig {
    try {
      const connection = selfContainedConnection(Buffer.from(encoded, 'base64').toString(), this.#judging);
      return { at: 'usable', mark: String(Bun.hash(encoded)), connection };
    } catch (error) {
      const says = beginning((error as Error).message, MOST_SAID);
      return { at: 'invalid', why: `Secret "${secret}", key "${key}": ${says}` };
    }
  }
}
