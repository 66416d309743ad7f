import { type MachineClass, machineClassKind } from '../../../schemas/machineclass.ts';
import type { Table } from '../../admission/table.ts';
import { nodeTemplateComplete, secretRefRules } from '../class.ts';
import { createdBy, createdByStays } from '../createdby.ts';
import { classDriverThere, classSpecFitsDriver, nodeTemplateFitsDriver } from '../driver.ts';
import { classChangeNoted, classInUse } from '../immutability.ts';
import { priorityInRange } from '../priority.ts';

/** MachineClass. */
export const machineClassTable: Table<MachineClass> = {
  kind: machineClassKind,
  guarded: ['metadata'],
  defaults: [createdBy],
  rules: [
    createdByStays,
    priorityInRange,
    classDriverThere,
    classSpecFitsDriver,
    nodeTemplateFitsDriver,
    ...secretRefRules,
    nodeTemplateComplete,
    classInUse,
    classChangeNoted,
  ],
};
