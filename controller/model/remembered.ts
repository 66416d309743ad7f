import { ANNOTATION_CLASS } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import { classOfMachine, isInline, type Lookup, secretKeysOf } from './class.ts';

/** What of a class a Machine remembers: what its VM is made from and where the credentials are, never the secret data. */
type Remembered = Pick<
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
}: Remembered): string {
  return JSON.stringify({ provider, providerSpec, nodeTemplate, secretRef, credentialsSecretRef });
}

/** The class that the Machine remembers; undefined without a record, and for one that cannot be read. */
export function rememberedClass({ metadata, spec }: Machine): MachineClass | undefined {
  const record = readRecord(metadata.annotations?.[ANNOTATION_CLASS]);
  return record && { ...record, metadata: { name: spec?.class?.name ?? '', namespace: metadata.namespace } };
}

/** The Machine's class, or what it remembers of one that is gone. */
export const knownClass = (classes: Lookup<MachineClass>, machine: Machine): MachineClass | undefined =>
  classOfMachine(classes, machine) ?? rememberedClass(machine);

/** The Secrets that the Machine's record names. */
export function rememberedSecrets(machine: Machine): string[] {
  const mayName = machine.metadata.annotations?.[ANNOTATION_CLASS]?.includes('ecretRef":') ?? false;
  const found = mayName ? rememberedClass(machine) : undefined;
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

function readRecord(text: string | undefined): Remembered | undefined {
  try {
    const record = JSON.parse(text ?? '') as Partial<Remembered> | null;
    const isWhole = typeof record?.provider === 'string' && typeof record.providerSpec === 'object';
    return isWhole && record.providerSpec ? (record as Remembered) : undefined;
  } catch {
    return undefined;
  }
}
