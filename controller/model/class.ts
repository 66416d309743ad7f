import { ANNOTATION_CLASS } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import type { Secret } from '../runtime/k8s/core.ts';
import { OBJECT_LEVELS, recordIn } from './template.ts';

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
 * Keys of the Secrets that a class names, in the order in which they are merged (hack/spec/mcm.md 1.1). Only those of its own namespace:
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

/** What of a class a Machine remembers: what its VM is made from and where the credentials are, never the secret data. */
type ClassRecord = Pick<
  MachineClass,
  'provider' | 'providerSpec' | 'nodeTemplate' | 'secretRef' | 'credentialsSecretRef'
>;

/** A class as the record on a Machine keeps it, JSON. */
export function classRecordOf({
  provider,
  providerSpec,
  nodeTemplate,
  secretRef,
  credentialsSecretRef,
}: ClassRecord): string {
  return JSON.stringify({ provider, providerSpec, nodeTemplate, secretRef, credentialsSecretRef });
}

/** The class that the Machine remembers; undefined without a record, and for one that cannot be read. */
export function recordedClass({ metadata, spec }: Machine): MachineClass | undefined {
  const record = readRecord(metadata.annotations?.[ANNOTATION_CLASS]);
  return record && { ...record, metadata: { name: spec?.class?.name ?? '', namespace: metadata.namespace } };
}

/** The Machine's class, or what it remembers of one that is gone. */
export const knownClass = (classes: Lookup<MachineClass>, machine: Machine): MachineClass | undefined =>
  classOfMachine(classes, machine) ?? recordedClass(machine);

/** The Secrets that the Machine's record names. */
export function recordedSecrets(machine: Machine): string[] {
  const mayName = machine.metadata.annotations?.[ANNOTATION_CLASS]?.includes('ecretRef":') ?? false;
  const found = mayName ? recordedClass(machine) : undefined;
  return found ? secretKeysOf(found) : [];
}

/**
 * The record that the Machine should have beside this class; undefined when it has it, or needs none. From the moment at
 * which there is a VM the record keeps what that was made from; the references go on following the class, because a
 * Secret that the class no longer names may be gone when the VM is deleted.
 */
export function recordDue(machine: Machine, found: MachineClass): string | undefined {
  if (isInline(machine)) return undefined;
  const text = machine.metadata.annotations?.[ANNOTATION_CLASS];
  const live = classRecordOf(found);
  if (text === live) return undefined;
  const before = machine.spec?.providerID ? readRecord(text) : undefined;
  const due = before ? classRecordOf({ ...found, providerSpec: before.providerSpec }) : live;
  return due === text ? undefined : due;
}

function readRecord(text: string | undefined): ClassRecord | undefined {
  const record = recordIn(text, OBJECT_LEVELS) as Partial<ClassRecord> | null | undefined;
  const isWhole = typeof record?.provider === 'string' && typeof record.providerSpec === 'object';
  return isWhole && record.providerSpec ? (record as ClassRecord) : undefined;
}

/** The data of the Secrets that a class names, decoded; of two values under one key the later Secret's counts (hack/spec/mcm.md 1.1). */
export function secretDataOf(
  found: MachineClass,
  secrets: { get(key: string): Secret | undefined },
): Record<string, string> {
  const data = secretKeysOf(found).map((key) => secrets.get(key)?.data ?? {});
  return Object.fromEntries(data.flatMap(Object.entries).map(([key, value]) => [key, decode(value)]));
}

const decode = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8');
