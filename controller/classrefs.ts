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

/**
 * The Secrets that a class names, in the order in which they are merged (MCM 1.1). Those of its own namespace, and no
 * others: the controller sees every Secret, and must not lend its eyes to whoever writes a class or a record of one.
 */
export const secretKeysOf = (found: MachineClass): string[] =>
  secretRefsOf(found)
    .filter((ref) => isOwn(ref, found))
    .map(({ name }) => `${found.metadata.namespace}/${name}`);

/** A Secret of another namespace that the class names, as namespace/name: it is never read. */
export function foreignSecretOf(found: MachineClass): string | undefined {
  const foreign = secretRefsOf(found).find((ref) => !isOwn(ref, found));
  return foreign && `${foreign.namespace}/${foreign.name}`;
}

type SecretRef = NonNullable<MachineClass['secretRef']>;

const secretRefsOf = ({ secretRef, credentialsSecretRef }: MachineClass): SecretRef[] =>
  [secretRef, credentialsSecretRef].filter((ref): ref is SecretRef => Boolean(ref?.name));

const isOwn = ({ namespace }: SecretRef, { metadata }: MachineClass): boolean =>
  !namespace || namespace === metadata.namespace;
