import type { Cluster } from '../../schemas/cluster.ts';
import { resources } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import type { MachineDrainRule } from '../../schemas/machinedrainrule.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { vmEndsOf } from '../drivers/sdk/vmstatus.ts';
import { classKeyOf, recordedSecrets, secretKeysOf, templateClassOf } from '../model/class.ts';
import { busyByOwner, unlessOnlyKept } from '../model/machine.ts';
import { byNamespace, byOwner } from '../model/ownership.ts';
import { clusterKeyOf, nodeKeysOf } from '../model/target.ts';
import type { Api } from '../runtime/client/api.ts';
import { type Secret, secrets } from '../runtime/k8s/core.ts';
import type { KubeObject } from '../runtime/k8s/object.ts';
import type { Log } from '../runtime/observability/log.ts';
import { Cache } from '../runtime/watch/cache.ts';
import { runCache, type WatchParts } from '../runtime/watch/watch.ts';

/** What the controllers know of the control cluster. */
export interface Caches {
  /**
   * Indexes: `owner`, `busy` (the owner of one that comes or goes), `node` (model/target.ts), `vm` (drivers/sdk/vmstatus.ts), `class` (namespace/name), `secret`
   * (that its record names), `cluster`.
   */
  machines: Cache<Machine>;
  /** Indexes: `owner`, `cluster`, `namespace`. */
  sets: Cache<MachineSet>;
  /** Indexes: `class` (namespace/name) of the template, `cluster`, `namespace`. */
  deployments: Cache<MachineDeployment>;
  /** Index: `secret` (namespace/name). */
  classes: Cache<MachineClass>;
  secrets: Cache<Secret>;
  /** Index: `secret` (namespace/name of the kubeconfig). */
  clusters: Cache<Cluster>;
  /** Index: `namespace`. */
  drainRules: Cache<MachineDrainRule>;
}

/** Secrets that no class can mean: they are many, and large. */
const OTHER_SECRETS = 'type!=helm.sh/release.v1,type!=kubernetes.io/service-account-token';

/** Caches that are still empty. */
export function makeCaches(log: Log): Caches {
  return {
    machines: new Cache<Machine>({
      log,
      indexes: {
        owner: byOwner,
        busy: busyByOwner,
        node: unlessOnlyKept(nodeKeysOf),
        vm: unlessOnlyKept(vmEndsOf),
        class: (one) => [classKeyOf(one)],
        secret: recordedSecrets,
        cluster: byCluster,
      },
    }),
    sets: new Cache<MachineSet>({ log, indexes: { owner: byOwner, cluster: byCluster, namespace: byNamespace } }),
    deployments: new Cache<MachineDeployment>({
      log,
      indexes: { class: (one) => [templateClassOf(one)], cluster: byCluster, namespace: byNamespace },
    }),
    classes: new Cache<MachineClass>({ log, indexes: { secret: secretKeysOf } }),
    secrets: new Cache<Secret>({ log }),
    clusters: new Cache<Cluster>({ log, indexes: { secret: kubeconfigOf } }),
    drainRules: new Cache<MachineDrainRule>({ log, indexes: { namespace: byNamespace } }),
  };
}

const kubeconfigOf = ({ metadata, spec }: Cluster): string[] => [
  `${metadata.namespace}/${spec?.kubeconfigSecretRef?.name ?? ''}`,
];

const byCluster = (object: KubeObject): string[] => [clusterKeyOf(object)];

/** How the caches are fed. */
type Feed = Omit<WatchParts<never>, 'resource' | 'api' | 'fieldSelector'>;

/** Fills the caches and keeps them equal to the cluster until the signal aborts; resolves when all have their first list. */
export async function fillCaches(caches: Caches, api: Api, feed: Feed): Promise<void> {
  void runCache({ ...feed, api, resource: resources.machines, cache: caches.machines });
  void runCache({ ...feed, api, resource: resources.machineSets, cache: caches.sets });
  void runCache({ ...feed, api, resource: resources.machineDeployments, cache: caches.deployments });
  void runCache({ ...feed, api, resource: resources.machineClasses, cache: caches.classes });
  void runCache({ ...feed, api, resource: secrets, cache: caches.secrets, fieldSelector: OTHER_SECRETS });
  void runCache({ ...feed, api, resource: resources.clusters, cache: caches.clusters, mayBeAbsent: true });
  void runCache({ ...feed, api, resource: resources.machineDrainRules, cache: caches.drainRules, mayBeAbsent: true });
  // An older installation does not know the kinds Cluster and MachineDrainRule yet: whoever needs none waits for nobody.
  const { machines, sets, deployments, classes } = caches;
  const awaited = [machines, sets, deployments, classes, caches.secrets];
  await Promise.all(awaited.map((cache) => cache.whenSynced(feed.signal)));
}
