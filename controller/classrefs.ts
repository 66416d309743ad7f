import type { Machine } from '../schemas/machine.ts';
import type { MachineClass } from '../schemas/machineclass.ts';

/** Objects by namespace/name. */
export interface Lookup<T> {
  get(key: string): T | undefined;
}

/** The key of the class that the Machine names. */
export const classKeyOf = ({ metadata, spec }: Machine): string => `${metadata.namespace}/${spec?.class?.name ?? ''}`;

/** The Machine says itself what it is made from: it has no class, whatever it names beside. */
export const isInline = ({ spec }: Machine): boolean => Boolean(spec?.provider);

/** The class in the form that drivers take: the named one, or the inline `provider` and `providerSpec`. */
export function classOfMachine(classes: Lookup<MachineClass>, machine: Machine): MachineClass | undefined {
  const { spec, metadata } = machine;
  if (!isInline(machine)) return classes.get(classKeyOf(machine));
  const { name, namespace } = metadata;
  return {
    metadata: { name, namespace },
    provider: spec?.provider,
    providerSpec: spec?.providerSpec ?? {},
  } as MachineClass;
}

/** The Secrets that a class names, in the order in which they are merged (MCM 1.1). */
export const secretKeysOf = ({ secretRef, credentialsSecretRef, metadata }: MachineClass): string[] =>
  [secretRef, credentialsSecretRef]
    .filter((ref) => ref?.name)
    .map((ref) => `${ref?.namespace || metadata.namespace}/${ref?.name}`);
