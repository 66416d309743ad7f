import { type Cluster, KUBECONFIG_KEY } from '../../schemas/cluster.ts';
import type { Cache } from '../runtime/cache.ts';
import type { Connection } from '../runtime/connection.ts';
import type { Secret } from '../runtime/core.ts';
import type { Judging } from '../runtime/judgedsend.ts';
import { selfContainedConnection } from '../runtime/kubeconfigtext.ts';
import { keyOf } from '../runtime/object.ts';
import type { KubeconfigFact } from './view.ts';

/** A kubeconfig as it stands, and the connection that it describes. */
export type Kubeconfig = KubeconfigFact & { connection?: Connection };

/** Where a kubeconfig stands. */
interface Place {
  secret: string;
  key: string;
}

/** What was read, and what came out. */
interface Read extends Place {
  encoded: string;
  kubeconfig: Kubeconfig;
}

/** Longest complaint about a kubeconfig, which may quote it, in characters. */
const MOST_SAID = 700;

/**
 * The kubeconfigs of Clusters. Each text is read once: a Cluster is looked at whenever a machine of it comes or goes, and
 * 65,536 characters of somebody's YAML take the parser ten milliseconds (hack/decisions/0028 T9).
 */
export class Kubeconfigs {
  readonly #secrets: Cache<Secret>;
  readonly #judging: Judging;
  /** By the key of the Cluster. */
  readonly #read = new Map<string, Read>();

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
    const data = this.#secrets.get(`${cluster.metadata.namespace}/${secret}`)?.data;
    const encoded = data?.[key];
    if (!data) return { at: 'missing', why: `Secret "${secret}" does not exist` };
    if (encoded === undefined) return { at: 'missing', why: `Secret "${secret}" has no key "${key}"` };
    const known = this.#read.get(keyOf(cluster));
    if (known && known.secret === secret && known.key === key && known.encoded === encoded) return known.kubeconfig;
    const kubeconfig = this.#readAnew({ secret, key }, encoded);
    this.#read.set(keyOf(cluster), { secret, key, encoded, kubeconfig });
    return kubeconfig;
  }

  /** The Cluster of this key is gone. */
  forget(key: string): void {
    this.#read.delete(key);
  }

  #readAnew({ secret, key }: Place, encoded: string): Kubeconfig {
    try {
      const connection = selfContainedConnection(Buffer.from(encoded, 'base64').toString(), this.#judging);
      return { at: 'usable', mark: String(Bun.hash(encoded)), connection };
    } catch (error) {
      const says = (error as Error).message.slice(0, MOST_SAID);
      return { at: 'invalid', why: `Secret "${secret}", key "${key}": ${says}` };
    }
  }
}
