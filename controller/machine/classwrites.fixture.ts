import { resources } from '../../schemas/kinds.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import { mergePatched } from '../../test/world/patching.ts';
import type { Writable } from '../framework/writer.ts';
import type { Api } from '../runtime/client/api.ts';
import type { KubeObject } from '../runtime/k8s/object.ts';
import type { Cache } from '../runtime/watch/cache.ts';

/** Changes of classes, which are seen at once. */
export const classWritesIn = (cache: Cache<MachineClass>): Writable<MachineClass> => {
  const patch = async (_: unknown, of: KubeObject['metadata'], { body }: { body: object }) => {
    const changed = mergePatched(cache.get(`${of.namespace}/${of.name}`), body) as MachineClass;
    cache.put(changed);
    return changed;
  };
  return { api: { patch } as unknown as Api, resource: resources.machineClasses, cache };
};
