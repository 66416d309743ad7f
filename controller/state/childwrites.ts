import { FINALIZER } from '../../schemas/keys.ts';
import { isOnlyKept } from '../../schemas/rules/machine.ts';
import type { Selector } from '../../schemas/selector.ts';
import { SomeRefused } from '../flow/refusals.ts';
import { deleteUnseen, type Expectations, removeFinalizer, type Writable } from '../framework/writer.ts';
import { childrenOf, orphansChildren } from '../model/ownership.ts';
import type { KubeObject } from '../runtime/k8s/object.ts';
import { tryAll } from '../runtime/queue/batches.ts';

/** What carries out actions of an owner's on its children, be they sets or machines. */

/** For each object, as {@link eachOf}. */
export const each = <T extends KubeObject>(
  objects: readonly T[],
  run: (object: T) => Promise<Expectations>,
): Promise<Expectations> => eachOf(objects, (object) => object, run);

/** One that is refused keeps no other from being tried; then a SomeRefused is thrown that names the objects. */
export async function eachOf<T, O extends KubeObject>(
  items: readonly T[],
  objectOf: (item: T) => O,
  run: (item: T) => Promise<Expectations>,
): Promise<Expectations> {
  const expectations: Array<Promise<void>> = [];
  const failures = await tryAll(items, async (item) => {
    expectations.push(...(await run(item)));
  });
  if (failures.length > 0) throw new SomeRefused(failures.map(({ item, error }) => ({ item: objectOf(item), error })));
  return expectations;
}

/** An owner, and who writes it and its children. */
interface Family<O extends KubeObject, C extends KubeObject> {
  owner: O;
  ownerWrites: Writable<O>;
  childWrites: Writable<C>;
}

/** Lets the owner go with its last child: where there is no garbage collector, nobody else takes one away. */
export async function letGo<O extends KubeObject, C extends KubeObject>(
  { owner, ownerWrites, childWrites }: Family<O, C>,
  selector: Selector | undefined,
): Promise<Expectations> {
  const children = orphansChildren(owner) ? [] : await childrenOf(childWrites, owner, selector);
  const left = children.filter((child) => !isOnlyKept(child));
  return left.length > 0
    ? each(left, (one) => deleteUnseen(childWrites, one))
    : removeFinalizer(ownerWrites, owner, FINALIZER);
}
