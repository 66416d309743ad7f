import type { Api } from '../../../controller/runtime/client/api.ts';
import { systemClock as clock } from '../../../controller/runtime/clock.ts';
import type { KubeObject, Resource } from '../../../controller/runtime/k8s/object.ts';
import { FakeLog } from '../../../controller/runtime/observability/log.fake.ts';
import { systemRandom as random } from '../../../controller/runtime/random.ts';
import { watch } from '../../../controller/runtime/watch/watch.ts';

/** What becomes of an object, each change by itself and in the order of the API server. */
export interface Heard<T extends KubeObject> {
  object: T;
  /** It is gone; the object's version is that of its end. */
  gone: boolean;
}

/** Which objects, and until when. */
export interface Hearing<T extends KubeObject> {
  api: Api;
  resource: Resource<T>;
  namespace?: string;
  signal: AbortSignal;
}

/** Tells of all changes of a resource, however many there are; resolves once nothing escapes it any more. */
export async function hear<T extends KubeObject>(
  { namespace, ...parts }: Hearing<T>,
  tell: (heard: Heard<T>) => void,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const place = namespace === undefined ? {} : { namespace };
  const run = async () => {
    for await (const event of watch<T>({ ...parts, ...place, clock, random, log: new FakeLog() })) {
      if (event.type === 'put' || event.type === 'drop') tell({ object: event.object, gone: event.type === 'drop' });
      if (event.type !== 'reset') continue;
      for (const object of event.items) tell({ object, gone: false });
      resolve();
    }
  };
  void run();
  await promise;
}

/** The moment of a change among all changes of all resources of an API server: etcd counts them together. */
export const momentOf = ({ metadata }: KubeObject): number => Number(metadata.resourceVersion);
