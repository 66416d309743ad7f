import { LABEL_NODE } from '../schemas/keys.ts';
import { resources } from '../schemas/kinds.ts';
import type { Machine } from '../schemas/machine.ts';
import type { MachineClass } from '../schemas/machineclass.ts';
import type { MachineDeployment } from '../schemas/machinedeployment.ts';
import type { MachineSet } from '../schemas/machineset.ts';
import { classKeyOf, secretKeysOf } from './classrefs.ts';
import { nodeOfAttachment, nodeOfPod, slimAttachment, slimPod, volumeOfAttachment } from './drain/pods.ts';
import { busyByOwner } from './machine/budget.ts';
import { templateClassOf } from './machinedeployment/observe.ts';
import { byOwner } from './ownership.ts';
import { rememberedSecrets } from './remembered.ts';
import type { Api } from './runtime/api.ts';
import { Cache } from './runtime/cache.ts';
import { type Node, nodes, type Secret, secrets } from './runtime/core.ts';
import type { Log } from './runtime/log.ts';
import { runCache, type WatchParts } from './runtime/watch.ts';
import { type Pod, pods, type VolumeAttachment, volumeAttachments } from './runtime/workload.ts';
import type { Target } from './targets.ts';

/** What the controllers know of the control cluster. */
export interface Caches {
  /** Indexes: `owner`, `busy` (the owner of one that comes or goes), `node` (name of the Node), `class` (namespace/name), `secret` (that its record names). */
  machines: Cache<Machine>;
  /** Index: `owner`. */
  sets: Cache<MachineSet>;
  /** Index: `class` (namespace/name) of the template. */
  deployments: Cache<MachineDeployment>;
  /** Index: `secret` (namespace/name). */
  classes: Cache<MachineClass>;
  secrets: Cache<Secret>;
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
        node: nodeNames,
        class: (one) => [classKeyOf(one)],
        secret: rememberedSecrets,
      },
    }),
    sets: new Cache<MachineSet>({ log, indexes: { owner: byOwner } }),
    deployments: new Cache<MachineDeployment>({ log, indexes: { class: (one) => [templateClassOf(one)] } }),
    classes: new Cache<MachineClass>({ log, indexes: { secret: secretKeysOf } }),
    secrets: new Cache<Secret>({ log }),
  };
}

const nodeNames = ({ metadata }: Machine): string[] => {
  const name = metadata.labels?.[LABEL_NODE];
  return name ? [name] : [];
};

/** How the caches are fed. */
type Feed = Omit<WatchParts<never>, 'resource' | 'api' | 'fieldSelector'>;

/** Fills the caches and keeps them equal to the cluster until the signal aborts; resolves when all have their first list. */
export async function fillCaches(caches: Caches, api: Api, feed: Feed): Promise<void> {
  void runCache({ ...feed, api, resource: resources.machines, cache: caches.machines });
  void runCache({ ...feed, api, resource: resources.machineSets, cache: caches.sets });
  void runCache({ ...feed, api, resource: resources.machineDeployments, cache: caches.deployments });
  void runCache({ ...feed, api, resource: resources.machineClasses, cache: caches.classes });
  void runCache({ ...feed, api, resource: secrets, cache: caches.secrets, fieldSelector: OTHER_SECRETS });
  await Promise.all(Object.values(caches).map((cache: Cache<never>) => cache.whenSynced(feed.signal)));
}

/** The same for the Nodes of a target cluster. */
export async function fillNodes(cache: Cache<Node>, api: Api, { namespace: _, ...feed }: Feed): Promise<void> {
  void runCache({ ...feed, api, resource: nodes, cache });
  await cache.whenSynced(feed.signal);
}

/** Pods that have no Node yet are nobody's to drain. */
const BOUND = 'spec.nodeName!=';

/** What runs on a target cluster's Nodes, followed from now on; nobody but drains waits for the first lists. */
export function followWorkload(api: Api, { namespace: _, ...feed }: Feed): Pick<Target, 'pods' | 'attachments'> {
  const { log } = feed;
  const bound = new Cache<Pod>({ log, indexes: { node: nodeOfPod }, keep: slimPod });
  const indexes = { node: nodeOfAttachment, volume: volumeOfAttachment };
  const attachments = new Cache<VolumeAttachment>({ log, indexes, keep: slimAttachment });
  void runCache({ ...feed, api, resource: pods, cache: bound, fieldSelector: BOUND });
  void runCache({ ...feed, api, resource: volumeAttachments, cache: attachments });
  return { pods: bound, attachments };
}
