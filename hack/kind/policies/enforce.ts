import { Api } from '../../../controller/runtime/client/api.ts';
import { systemClock as clock } from '../../../controller/runtime/clock.ts';
import { namespaces } from '../../../controller/runtime/k8s/core.ts';
import type { KubeObject, Resource } from '../../../controller/runtime/k8s/object.ts';
import { kubeconfigConnection } from '../../../controller/runtime/kubeconfig/kubeconfig.ts';
import { createLog } from '../../../controller/runtime/observability/log.ts';
import { systemRandom as random } from '../../../controller/runtime/random.ts';
import { Cache } from '../../../controller/runtime/watch/cache.ts';
import { runCache } from '../../../controller/runtime/watch/watch.ts';
import { run } from '../../tools/run.ts';
import type { KindCluster } from '../cluster.ts';
import { networkPods, networkPolicies } from './objects.ts';
import { rulesetOf } from './ruleset.ts';
import { settler } from './settle.ts';

/**
 * Holds a cluster's traffic to its NetworkPolicies for as long as this process wants it, within a moment of each change; the
 * answer ends that, and leaves the last rules. For clusters whose own network takes no notice of policies, as the one that is
 * built here; where the network does, nothing changes. Throws when the first rules cannot be set.
 */
export async function enforcePolicies(cluster: KindCluster): Promise<AsyncDisposable> {
  const ending = new AbortController();
  try {
    return await enforce(cluster, ending);
  } catch (error) {
    ending.abort();
    throw error;
  }
}

async function enforce(cluster: KindCluster, ending: AbortController): Promise<AsyncDisposable> {
  const connection = await kubeconfigConnection(cluster.kubeconfig);
  const follow = follower(new Api({ connection, clock }), ending.signal);
  const caches = {
    namespaces: follow(namespaces),
    pods: follow(networkPods),
    policies: follow(networkPolicies),
  };
  const all = Object.values(caches) as Array<Cache<KubeObject>>;
  await Promise.all(all.map((cache) => cache.whenSynced(ending.signal)));
  const nodes = (await run([cluster.kind, 'get', 'nodes', '--name', cluster.name])).trim().split('\n');
  const settle = settler({
    wanted: () =>
      rulesetOf({ namespaces: caches.namespaces.list(), pods: caches.pods.list(), policies: caches.policies.list() }),
    set: async (rules) => void (await Promise.all(nodes.map((node) => setRules(node, rules)))),
  });
  await settle();
  const report = (error: unknown) => process.stderr.write(`NetworkPolicies of ${cluster.name}: ${error}\n`);
  for (const cache of all) cache.onChange(() => ending.signal.aborted || settle().catch(report));
  return {
    async [Symbol.asyncDispose]() {
      ending.abort();
      await settle().catch(report);
    },
  };
}

/** Makes caches that follow what the API server has. */
function follower(api: Api, signal: AbortSignal) {
  const log = createLog({ clock, level: 'error', sink: process.stderr });
  return <T extends KubeObject>(resource: Resource<T>): Cache<T> => {
    const cache = new Cache<T>({ log });
    void runCache({ cache, api, resource, clock, random, log, signal });
    return cache;
  };
}

async function setRules(node: string, rules: string): Promise<void> {
  const child = Bun.spawn(['docker', 'exec', '--interactive', node, 'nft', '--file', '-'], {
    stdin: Buffer.from(rules),
    stdout: 'ignore',
    stderr: 'pipe',
  });
  const [complaint, code] = await Promise.all([child.stderr.text(), child.exited]);
  if (code !== 0) throw new Error(`the rules of node ${node} could not be set: ${complaint.trim()}`);
}
