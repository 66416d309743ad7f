import type { Machine } from '../../schemas/machine.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import type { Driver } from '../drivers/sdk/driver.ts';
import { isInline } from '../model/class.ts';
import { vmExpectedUntil } from '../model/expectedvm.ts';
import type { Secret } from '../runtime/k8s/core.ts';
import { keyOf } from '../runtime/k8s/object.ts';
import type { Cache } from '../runtime/watch/cache.ts';
import type { MachineClassView, SecretView } from './flow.ts';

/** Where uses are counted. */
export interface MachineClassSources {
  /** With the indexes `class` and `secret`. */
  machines: Cache<Machine>;
  /** With the index `secret`. */
  classes: Cache<MachineClass>;
  secrets: Cache<Secret>;
  drivers: ReadonlyMap<string, Driver>;
}

/** Everything that a decision about this class needs; undefined when there is no such class. */
export function observeClass(sources: MachineClassSources, key: string): MachineClassView | undefined {
  const object = sources.classes.get(key);
  if (!object) return undefined;
  const users = usersOf(sources, key).map(({ metadata }) => metadata.name);
  return { object, users: users.sort(), served: isServed(sources, object), ...expectedOf([object]) };
}

/** Everything that a decision about this Secret needs; undefined when there is no such Secret. */
export function observeSecret(sources: MachineClassSources, key: string): SecretView | undefined {
  const object = sources.secrets.get(key);
  if (!object) return undefined;
  const naming = sources.classes.by('secret', key);
  const served = naming.filter((one) => isServed(sources, one));
  const users = [...served.flatMap((one) => usersOf(sources, keyOf(one))), ...sources.machines.by('secret', key)];
  const counted = [...new Set(users.map(keyOf))].sort();
  return { object, users: counted, shared: served.length < naming.length, ...expectedOf(served) };
}

function expectedOf(classes: readonly MachineClass[]): { vmUntil?: number } {
  const vmUntil = Math.max(...classes.map((one) => vmExpectedUntil(one) ?? -Infinity));
  return vmUntil === -Infinity ? {} : { vmUntil };
}

const usersOf = ({ machines }: MachineClassSources, key: string): Machine[] =>
  machines.by('class', key).filter((machine) => !isInline(machine));

const isServed = ({ drivers }: MachineClassSources, { provider }: MachineClass): boolean => drivers.has(provider ?? '');
