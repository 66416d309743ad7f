import { type Api, ApiError, type Keeping, type ListOptions } from '../runtime/client/api.ts';
import type { KubeObject, Ref, Resource } from '../runtime/k8s/object.ts';
import type { Pod } from '../runtime/k8s/workload.ts';

/** An error of an API server. */
export const apiError = (status: number, reason: string, details?: ApiError['details']): ApiError =>
  new ApiError(`refused: ${reason}`, { status, reason, details });

/** What an eviction meets that a disruption budget forbids. */
export const forbiddenByBudget = apiError(429, 'TooManyRequests', {
  causes: [{ reason: 'DisruptionBudget', message: 'The disruption budget b needs 1 healthy pods and has 1 currently' }],
});

/** An API server of a few objects, by `plural namespace/name`; what is written is noted, and may fail. */
export class FakeApi {
  readonly calls: string[] = [];
  readonly objects = new Map<string, KubeObject>();
  /** Runs for each call, such as `evict shop/a`; what it throws or rejects with is the call's error. */
  onCall: (call: string) => void | Promise<void> = () => {};

  put({ plural }: Resource, object: KubeObject): void {
    this.objects.set(`${plural} ${nameOf(object.metadata)}`, object);
  }

  /** As the drain sees it. */
  get api(): Api {
    const get = async ({ plural }: Resource, ref: Ref) => {
      await this.#note(`get ${plural} ${nameOf(ref)}`);
      const found = this.objects.get(`${plural} ${nameOf(ref)}`);
      if (!found) throw apiError(404, 'NotFound');
      return found;
    };
    const list = async (
      { plural }: Resource,
      { namespace, fieldSelector, keep = (one) => one }: ListOptions & Keeping<KubeObject>,
    ) => {
      await this.#note(`list ${plural} ${namespace}`);
      const path = namespace === undefined ? `${plural} ` : `${plural} ${namespace}/`;
      const all = [...this.objects].filter(([name, object]) => name.startsWith(path) && isOn(object, fieldSelector));
      return { items: all.map(([, object]) => keep(object)), resourceVersion: '1' };
    };
    const create = (_: Resource, { metadata }: KubeObject) => this.#note(`evict ${nameOf(metadata)}`);
    const remove = (
      _: Resource,
      ref: Ref,
      { uid, gracePeriodSeconds }: { uid?: string; gracePeriodSeconds?: number },
    ) => this.#note(`delete ${nameOf(ref)} ${uid} ${gracePeriodSeconds}`);
    return { get, list, create, delete: remove } as unknown as Api;
  }

  async #note(call: string): Promise<void> {
    this.calls.push(call);
    await this.onCall(call);
  }
}

/** Whether it is on the Node that a selector names. */
const isOn = (object: Pod, selector: string | undefined): boolean => {
  const [node, ...others] = selector?.split(',') ?? [];
  const isIts = node === undefined || node === `spec.nodeName=${object.spec?.nodeName}`;
  return isIts && !others.includes(`status.phase!=${object.status?.phase}`);
};

const nameOf = ({ namespace, name }: Ref): string => (namespace ? `${namespace}/${name}` : name);
