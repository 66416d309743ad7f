import { unlessGone } from '../../../controller/framework/writer.ts';
import {
  type Pod,
  type PodDisruptionBudget,
  persistentVolumeClaims,
  podDisruptionBudgets,
  pods,
  type VolumeAttachment,
  volumeAttachments,
} from '../../../controller/runtime/k8s/workload.ts';
import type { Herd } from './herd.ts';

/** What a pod is made of. */
interface PodOptions {
  /** Kind of its controller; none unless told. */
  owner?: string;
  mirror?: boolean;
  /** The PersistentVolume of its claim. */
  claim?: string;
  important?: boolean;
  /** Somebody holds on to it after its end. */
  finalizer?: boolean;
  /** Beside `app`, its name. */
  labels?: Record<string, string>;
  /** The Node of another Machine than `m`. */
  node?: string;
}

/** Pods on the Node of the Machine `m`, what protects them, and their volumes. */
export class Workload {
  readonly #herd: Herd;

  constructor(herd: Herd) {
    this.#herd = herd;
  }

  /** Binds a pod to the Node, as a scheduler does. */
  async run(
    name: string,
    { owner, mirror, claim, important, finalizer, labels, node = 'm' }: PodOptions = {},
  ): Promise<void> {
    const { api, namespace } = this.#herd;
    if (claim) await this.#bind(name, claim);
    const volumes = claim ? [{ name: 'data', persistentVolumeClaim: { claimName: name } }] : [];
    const pod = {
      metadata: {
        namespace,
        name,
        labels: { app: name, ...labels },
        ...(finalizer && { finalizers: [HOLD] }),
        ...(mirror && { annotations: { 'kubernetes.io/config.mirror': 'x' } }),
        ...(owner && {
          ownerReferences: [{ apiVersion: 'apps/v1', kind: owner, name: 'owner', uid: 'uid', controller: true }],
        }),
      },
      spec: {
        nodeName: node,
        containers: [{ name: 'c', image: 'none' }],
        volumes,
        ...(important && { priorityClassName: 'system-cluster-critical' }),
      },
    };
    const made = await api.create(pods, pod);
    // The budget of a pod that has not started is not asked.
    await api.patch(pods, made.metadata, { type: 'merge', body: { status: RUNNING } }, { subresource: 'status' });
  }

  /** A claim that is bound to a volume. */
  async #bind(name: string, volumeName: string): Promise<void> {
    const { api, namespace } = this.#herd;
    const spec = {
      volumeName,
      accessModes: ['ReadWriteOnce'],
      storageClassName: '',
      resources: { requests: { storage: '1Gi' } },
    };
    await api.create(persistentVolumeClaims, { metadata: { namespace, name }, spec });
    const body = { status: { phase: 'Bound' } };
    await api.patch(persistentVolumeClaims, { namespace, name }, { type: 'merge', body }, { subresource: 'status' });
  }

  /** A budget for one pod, with the status that a disruption controller would write. */
  async protect(name: string, status: PodDisruptionBudget['status'] = {}): Promise<void> {
    const { api, namespace } = this.#herd;
    const spec = { minAvailable: 1, selector: { matchLabels: { app: name } } };
    const made = await api.create(podDisruptionBudgets, { metadata: { namespace, name }, spec });
    const told = { observedGeneration: made.metadata.generation, disruptionsAllowed: 0, ...zero, ...status };
    await api.patch(
      podDisruptionBudgets,
      made.metadata,
      { type: 'merge', body: { status: told } },
      { subresource: 'status' },
    );
  }

  unprotect(name: string): Promise<unknown> {
    return this.#herd.api.delete(podDisruptionBudgets, { namespace: this.#herd.namespace, name });
  }

  /** Attaches a volume to the Node, as a controller of volumes does; answers the name of the attachment. */
  async attach(volume: string, { node = 'm', finalizer = false } = {}): Promise<string> {
    const { api, namespace } = this.#herd;
    const metadata = { name: `${namespace}-${volume}-${node}`, ...(finalizer && { finalizers: [HOLD] }) };
    const spec = { attacher: 'test', nodeName: node, source: { persistentVolumeName: volume } };
    await api.create(volumeAttachments, { metadata, spec });
    await api.patch(
      volumeAttachments,
      metadata,
      { type: 'merge', body: { status: { attached: true } } },
      { subresource: 'status' },
    );
    return metadata.name;
  }

  /** Detaches a volume here, and attaches it elsewhere. */
  async move(attachment: string, volume: string): Promise<void> {
    await this.#herd.api.delete(volumeAttachments, { name: attachment });
    await this.attach(volume, { node: 'elsewhere' });
  }

  async attachments(): Promise<string[]> {
    const { items } = await this.#herd.api.list<VolumeAttachment>(volumeAttachments);
    return items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith(this.#herd.namespace));
  }

  async pods(): Promise<Pod[]> {
    return (await this.#herd.api.list(pods, { namespace: this.#herd.namespace })).items;
  }

  /** Takes away all of it. */
  async clear(): Promise<void> {
    const { api } = this.#herd;
    await this.#herd.kubectl('delete', 'pdb,pvc', '--all', '--wait=false');
    const letGo = { type: 'merge', body: { metadata: { finalizers: null } } } as const;
    for (const { metadata } of await this.pods()) {
      // An eviction that is under way may be first.
      if (metadata.finalizers) await unlessGone(api.patch(pods, metadata, letGo));
      else await unlessGone(api.delete(pods, metadata, { gracePeriodSeconds: 0 }));
    }
    for (const name of await this.attachments()) {
      await api.patch(volumeAttachments, { name }, letGo);
      await this.#herd.kubectl('delete', 'volumeattachment', name, '--ignore-not-found');
    }
  }
}

const HOLD = 'drover.dev/test';
const RUNNING = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
const zero = { expectedPods: 1, currentHealthy: 0, desiredHealthy: 1 };
