import type { Machine } from '../../schemas/machine.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';

/** Reads objects by their key, namespace/name. */
export interface Lookup<T> {
  get(key: string): T | undefined;
}

/** The key of the class that the Machine names. */
export const classKeyOf = ({ metadata, spec }: Machine): string => `${metadata.namespace}/${spec?.class?.name ?? ''}`;

/** The Machine has its provider and providerSpec inline; a class that it names as well is ignored. */
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
 * Keys of the Secrets that a class names, in the order in which they are merged (MCM 1.1). Only those of its own namespace:
 * the controller may read every Secret, and an author of classes, or of records of them, must not read others through it.
 */
export const secretKeysOf = (found: MachineClass): string[] =>
  secretRefsOf(found)
    .filter((ref) => isOwn(ref, found))
    .map(({ name }) => `${found.metadata.namespace}/${name}`);

/** The first Secret of another namespace that the class names, as namespace/name; it is never read. */
export function foreignSecretOf(found: MachineClass): string | undefined {
  const foreign = secretRefsOf(found).find((ref) => !isOwn(ref, found));
  return foreign && `${foreign.namespace}/${foreign.name}`;
}

type SecretRef = NonNullable<MachineClass['secretRef']>;

const secretRefsOf = ({ secretRef, credentialsSecretRef }: MachineClass): SecretRef[] =>
  [secretRef, credentialsSecretRef].filter((ref): ref is SecretRef => Boolean(ref?.name));

const isOwn = ({ namespace }: SecretRef, { metadata }: MachineClass): boolean =>
  !namespace || namespace === metadata.namespace;

/** The key of the class that the template names, if it names one. */
export const templateClassOf = ({ metadata, spec }: MachineDeployment): string =>
  `${metadata.namespace}/${spec?.template?.spec?.class?.name ?? ''}`;
