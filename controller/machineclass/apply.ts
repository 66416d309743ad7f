import { addFinalizer, removeFinalizer, type Visible, type Writable } from '../framework/writer.ts';
import type { KubeObject } from '../runtime/k8s/object.ts';
import type { HoldAction } from './flow.ts';

/** What a hold is written on. */
export interface Hold<T extends KubeObject> {
  on: Writable<T>;
  object: T;
  finalizer: string;
}

/** Carries out one action; answers when the caches will show it. Throws the API's error when the write fails. */
export function apply<T extends KubeObject>({ on, object, finalizer }: Hold<T>, action: HoldAction): Promise<Visible> {
  return action.do === 'addFinalizer' ? addFinalizer(on, object, finalizer) : removeFinalizer(on, object, finalizer);
}
