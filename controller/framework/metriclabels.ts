import type { Meta } from '../runtime/k8s/object.ts';
import type { Sample } from './objectmetrics.ts';

/** Labels and values that the metrics of several kinds share (MCM 10.2). */

/** Labels that name an object. */
export const own = ['name', 'namespace'] as const;

/** Labels of a machine whose last operation failed, in its owner's status. */
export const failedMachine = [
  ...own,
  'failed_machine_name',
  'failed_machine_provider_id',
  'failed_machine_owner_ref',
  'failed_machine_last_operation_state',
  'failed_machine_last_operation_machine_operation_type',
] as const;

type Conditions = ReadonlyArray<{ type: string; status: string }>;

interface Failed {
  name?: string | undefined;
  providerID?: string | undefined;
  ownerRef?: string | undefined;
  lastOperation?: { state?: string | undefined; type?: string | undefined } | undefined | null;
}

/** Which object it is. */
export const ownLabels = ({ name, namespace = '' }: Meta) => ({ name, namespace });

/** When the object was made, in seconds since the epoch. */
export const createdAt = ({ creationTimestamp }: Meta): string => String(Date.parse(creationTimestamp ?? '') / 1000);

/** What a condition is worth: True 1, False 0, anything else 2. */
export const conditionValue = ({ status }: { status: string }): number => {
  if (status === 'True') return 1;
  return status === 'False' ? 0 : 2;
};

/** The conditions of an object. */
export const conditionSamples = (name: string, owner: Meta, conditions: Conditions = []): Sample[] =>
  conditions.map((condition) => ({
    name,
    value: conditionValue(condition),
    labels: { ...ownLabels(owner), condition: condition.type },
  }));

/** Which machines of an owner have failed at what. */
export const failedSamples = (name: string, owner: Meta, failed: readonly Failed[] = []): Sample[] =>
  failed.map((one) => ({ name, value: 1, labels: failedLabels(owner, one) }));

const failedLabels = (owner: Meta, { name, providerID, ownerRef, lastOperation }: Failed) => ({
  ...ownLabels(owner),
  failed_machine_name: name ?? '',
  failed_machine_provider_id: providerID ?? '',
  failed_machine_owner_ref: ownerRef ?? '',
  failed_machine_last_operation_state: lastOperation?.state ?? '',
  failed_machine_last_operation_machine_operation_type: lastOperation?.type ?? '',
});
