import type { Machine } from '../../../schemas/machine.ts';
import { classKeyOf, type Lookup, secretKeysOf } from '../../model/class.ts';
import type { KubeObject } from '../../runtime/k8s/object.ts';
import type { ClassFact } from '../flow/view.ts';

/** Differs as soon as anything that a driver call depends on has changed. */
export function changeMark({ secrets }: { secrets: Lookup<KubeObject> }, machine: Machine, fact: ClassFact): string {
  if (fact.at !== 'ours') return `${machine.metadata.generation}`;
  const versions = secretKeysOf(fact.class).map((key) => secrets.get(key)?.metadata.resourceVersion);
  return [machine.metadata.generation, fact.class.metadata.generation, ...versions].join('/');
}

/** Machines of one class share the bounds on calls; those with an inline spec share their namespace's. */
export const slotKeyOf = (machine: Machine, fact: ClassFact): string =>
  (fact.at === 'ours' ? fact.class.metadata.uid : undefined) ?? classKeyOf(machine);
