import { type Api, isConflict, isNotFound } from '../../../controller/runtime/client/api.ts';
import { nodes } from '../../../controller/runtime/k8s/core.ts';
import { type Pod, pods, type VolumeAttachment, volumeAttachments } from '../../../controller/runtime/k8s/workload.ts';
import { hear } from './changes.ts';
import type { Herd } from './herd.ts';

/** How long things take on a Node, milliseconds. */
export interface Paces {
  /** From the moment at which a pod has its Node and its volumes until it is ready. */
  readyMs: number;
  /** From the end of a pod until its volumes are off the Node. */
  detachMs: number;
}

/**
 * The part of kubelets that the virtual driver leaves out, and what attaches volumes: pods that are bound become ready, their volumes
 * go with them, never to two Nodes at once. Volumes are the claims' own, by the name of the claim.
 */
export class Kubelets {
  readonly paces: Paces;
  /** VolumeAttachments that went because their pod had gone. */
  readonly detached = new Set<string>();
  readonly #over = new AbortController();
  readonly #begun = new Set<string>();
  /** Pods that have not ended, by UID. */
  readonly #there = new Set<string>();
  readonly #attached = new Map<string, string>();
  readonly #held = new Map<string, PromiseWithResolvers<void>>();
  #api: Api | undefined;

  constructor(paces: Paces) {
    this.paces = paces;
  }

  /** Looks after all pods of the herd's namespace. */
  async start({ api, namespace }: Herd): Promise<void> {
    this.#api = api;
    await hear({ api, resource: pods, namespace, signal: this.#over.signal }, ({ object, gone }) => {
      const uid = object.metadata.uid ?? '';
      if (gone) this.#there.delete(uid);
      else this.#there.add(uid);
      const isNew = !gone && object.spec?.nodeName && !object.metadata.deletionTimestamp && !this.#begun.has(uid);
      if (!isNew) return;
      this.#begun.add(uid);
      void this.#run(object).catch((error) => {
        if (!isNotFound(error) && !isConflict(error) && !this.#over.signal.aborted) throw error;
      });
    });
  }

  end(): void {
    this.#over.abort();
  }

  /** From now on no pod of the shop becomes ready, until it is released. */
  hold(shop: string): void {
    this.#held.set(shop, Promise.withResolvers());
  }

  release(shop: string): void {
    this.#held.get(shop)?.resolve();
    this.#held.delete(shop);
  }

  async #run(pod: Pod): Promise<void> {
    const volume = volumeOf(pod);
    if (volume !== undefined) await this.#attach(volume, pod);
    await this.#held.get(pod.metadata.labels?.['app'] ?? '')?.promise;
    await Bun.sleep(this.paces.readyMs);
    const { api } = this;
    if (this.#isThere(pod))
      await api.patch(pods, pod.metadata, { type: 'merge', body: { status: READY } }, { subresource: 'status' });
  }

  /** Once the volume is off the Node where it was; it comes off this one some time after the pod has ended. */
  async #attach(volume: string, pod: Pod): Promise<void> {
    while (this.#attached.has(volume) && this.#isThere(pod)) await Bun.sleep(20);
    if (!this.#isThere(pod)) return;
    const nodeName = pod.spec?.nodeName ?? '';
    const metadata = { name: `${volume}-on-${nodeName}` };
    this.#attached.set(volume, metadata.name);
    const spec = { attacher: 'test', nodeName, source: { persistentVolumeName: volume } };
    await this.api.create<VolumeAttachment>(volumeAttachments, { metadata, spec } as VolumeAttachment);
    const body = { status: { attached: true } };
    await this.api.patch(volumeAttachments, metadata, { type: 'merge', body }, { subresource: 'status' });
    await this.#onNode(nodeName, volume);
    void this.#detachAfter(volume, pod, metadata);
  }

  async #detachAfter(volume: string, pod: Pod, attachment: { name: string }): Promise<void> {
    while (this.#isThere(pod)) await Bun.sleep(20);
    await Bun.sleep(this.paces.detachMs);
    if (this.#over.signal.aborted) return;
    this.detached.add(attachment.name);
    await this.api.delete(volumeAttachments, attachment).catch(() => {});
    this.#attached.delete(volume);
  }

  /** The Node's list is what people see of it; nobody relies on that it is right. */
  async #onNode(name: string, volume: string): Promise<void> {
    const body = { status: { volumesInUse: [volume] } };
    await this.api.patch(nodes, { name }, { type: 'merge', body }, { subresource: 'status' }).catch(() => {});
  }

  get api(): Api {
    if (!this.#api) throw new Error('the kubelets have not been started');
    return this.#api;
  }

  #isThere = ({ metadata }: Pod): boolean => this.#there.has(metadata.uid ?? '') && !this.#over.signal.aborted;
}

const READY = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };

/** The PersistentVolume of a pod's claim: a shop's has the name of its claim and namespace. */
const volumeOf = ({ metadata, spec }: Pod): string | undefined => {
  const claim = spec?.volumes?.find(({ persistentVolumeClaim }) => persistentVolumeClaim)?.persistentVolumeClaim;
  return claim && `${metadata.namespace}-${claim.claimName}`;
};
