import { systemClock as clock } from '../../../controller/runtime/clock.ts';
import { type ConfigMap, configMaps } from '../../../controller/runtime/k8s/core.ts';
import { compareVersions, type KubeObject, type Resource } from '../../../controller/runtime/k8s/object.ts';
import { FakeLog } from '../../../controller/runtime/observability/log.fake.ts';
import { systemRandom as random } from '../../../controller/runtime/random.ts';
import { watch } from '../../../controller/runtime/watch/watch.ts';
import { until } from '../../../hack/lib/until.ts';
import { resources } from '../../../schemas/kinds.ts';
import type { Machine } from '../../../schemas/machine.ts';
import type { Herd } from './herd.ts';

/** One change of a Machine or of a virtual VM, as the server stored it; `is` tells whether the object is there after it. */
export type Entry = ({ of: 'machine'; object: Machine } | { of: 'vm'; object: ConfigMap }) & { is: boolean };

const CLOUD = 'drover-virtual-cloud';
const PATIENCE = { timeoutMs: 60_000 };

/**
 * All that becomes of a herd's Machines and VMs, seen by watches of its own past whatever keeps others from it. Both are
 * stored by one etcd, whose versions tell exactly what was before what: there is no moment that escapes.
 */
export class History {
  readonly #entries: Entry[] = [];
  readonly #over = new AbortController();
  /** How often everything was listed: after the first time something may have been missed. */
  #lists = 0;
  #goneVms = 0;

  /** Follows the herd from now on. */
  static async of(herd: Herd): Promise<History> {
    const history = new History();
    const isOurs = ({ data }: ConfigMap) => data?.['machine']?.startsWith(`${herd.namespace}/`) ?? false;
    void history.#follow(herd, { resource: resources.machines, namespace: herd.namespace }, (object, is) =>
      history.#entries.push({ of: 'machine', object, is }),
    );
    void history.#follow(herd, { resource: configMaps, namespace: CLOUD }, (object, is) => {
      if (!isOurs(object)) return;
      history.#entries.push({ of: 'vm', object, is });
      if (!is) history.#goneVms += 1;
    });
    await until('the watches to begin', () => history.#lists === 2, PATIENCE);
    return history;
  }

  /** How many VMs are gone so far. */
  get goneVms(): number {
    return this.#goneVms;
  }

  /** Everything so far, oldest first. @throws Error when a watch had to begin anew, so that something may be missing */
  entries(): Entry[] {
    if (this.#lists !== 2) throw new Error(`a watch began anew: ${this.#lists} lists`);
    const version = ({ object }: Entry) => object.metadata.resourceVersion ?? '0';
    return this.#entries.toSorted((a, b) => compareVersions(version(a), version(b)));
  }

  end(): void {
    this.#over.abort();
  }

  async #follow<T extends KubeObject>(
    { api }: Herd,
    what: { resource: Resource<T>; namespace: string },
    note: (object: T, is: boolean) => void,
  ): Promise<void> {
    const parts = { api, clock, random, log: new FakeLog(), signal: this.#over.signal };
    for await (const event of watch<T>({ ...parts, ...what })) {
      if (event.type === 'reset') {
        this.#lists += 1;
        for (const object of event.items) note(object, true);
      }
      if (event.type === 'put' || event.type === 'drop') note(event.object, event.type === 'put');
    }
  }
}
