import { Api, type ApiError, type Patch } from '../../../controller/runtime/client/api.ts';
import { errorOf } from '../../../controller/runtime/client/errors.fixture.ts';
import { systemClock as clock } from '../../../controller/runtime/clock.ts';
import { type ConfigMap, configMaps } from '../../../controller/runtime/k8s/core.ts';
import type { KubeObject, Meta, Resource } from '../../../controller/runtime/k8s/object.ts';
import { resources } from '../../../schemas/kinds.ts';
import type { Machine } from '../../../schemas/machine.ts';
import type { Place } from '../apiserver.ts';

/** A finalizer that nobody takes off but the test. */
export const SHEAR = 'farm.example/shear';

/** A namespace of an API server, with objects that promises are tried on. */
export class Farm {
  #place: (Place & { api: Api }) | undefined;
  #made = 0;

  /** Gives the farm its place; before that there is nothing. */
  settle(place: Place): void {
    this.#place = { ...place, api: new Api({ connection: place.connection, clock }) };
  }

  get api(): Api {
    return this.#settled.api;
  }

  get namespace(): string {
    return this.#settled.namespace;
  }

  /** A name that no object of the namespace has. */
  name(prefix = 'sheep'): string {
    this.#made += 1;
    return `${prefix}-${this.#made}`;
  }

  /** Makes an object that is built in, has no status and counts no generation. */
  configMap(data: Record<string, string> = { wool: 'white' }, more: Partial<Meta> = {}): Promise<ConfigMap> {
    return this.api.create(configMaps, { metadata: { ...this.ref(this.name()), ...more }, data });
  }

  /** Makes a custom resource, which has a status and counts generations. */
  machine(more: Partial<Meta> = {}, rest: object = {}): Promise<Machine> {
    const place = { apiVersion: 'machine.sapcloud.io/v1alpha1', kind: 'Machine' };
    const metadata = { ...this.ref(this.name()), ...more };
    const spec = { class: { kind: 'MachineClass', name: 'small' } };
    return this.api.create(resources.machines, { ...place, metadata, spec, ...rest } as unknown as Machine);
  }

  /** A merge patch of a Machine, or of its status. */
  change(machine: Machine, body: object, subresource?: 'status'): Promise<Machine> {
    const options = subresource === undefined ? {} : { subresource };
    return this.api.patch(resources.machines, machine.metadata, { type: 'merge', body }, options);
  }

  /** The same of any object. */
  merge<T extends KubeObject>(resource: Resource<T>, { metadata }: T, body: object): Promise<T> {
    return this.api.patch(resource, metadata, { type: 'merge', body } satisfies Patch);
  }

  ref(name: string): { namespace: string; name: string } {
    return { namespace: this.namespace, name };
  }

  get #settled() {
    if (!this.#place) throw new Error('the farm has no place before the first test begins');
    return this.#place;
  }
}

/** Code and reason with which a call is refused. */
export async function refusalOf(call: Promise<unknown>): Promise<string> {
  const { status, reason } = (await errorOf(call)) as ApiError;
  return `${status} ${reason}`;
}
