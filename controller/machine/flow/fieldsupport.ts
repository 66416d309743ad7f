import type { MachineSpec } from '../../../schemas/machinespec.ts';
import type { Published } from '../../../schemas/providers/index.ts';
import { drivenFields, isUnsupported } from '../../../schemas/rules/drivenfields.ts';
import { pass, type StepState } from '../../flow/flow.ts';
import type { Answer } from './drivercall.ts';
import type { MachineView } from './view.ts';

/**
 * What the driver cannot bring about stops nothing: what it can is done, and the Machine leaves as any other. It is no more than told,
 * for the webhook refuses it: such a Machine was made while none answered, or before its class.
 */
export const fieldsSupported = (): Answer => pass;

/** How the fields of the spec stand that the driver cannot bring about; undefined when there is none. */
export function supportState({ unsupported }: MachineView): StepState | undefined {
  if (!unsupported) return undefined;
  return { type: 'FieldsSupported', status: 'False', reason: 'Unsupported', message: unsupported };
}

/** A sentence on each field of the spec that the driver cannot bring about; undefined when there is none, or no driver of ours. */
export function unsupportedFields(
  spec: MachineSpec | undefined,
  driver: Pick<Published, 'capabilities'> | undefined,
): string | undefined {
  if (!spec || !driver) return undefined;
  const can = new Set(driver.capabilities);
  const rows = drivenFields.filter((row) => isUnsupported(row, spec, can));
  return rows.length === 0 ? undefined : rows.map(({ field, says }) => `spec.${field} ${says}`).join('; ');
}
