import { type MachineClass, machineClassKind } from '../../../schemas/machineclass.ts';
import type { Table } from '../../admission/table.ts';
import { createdBy, createdByStays } from '../createdby.ts';
import { classDriverThere } from '../driver.ts';
import { classSpecFitsDriver, nodeTemplateFitsDriver } from '../fitsdriver.ts';
import { classChangeNoted, classInUse } from '../immutability.ts';
import { nodeTemplateComplete } from '../nodetemplate.ts';
import { priorityInRange } from '../priority.ts';
import { secretRefRules } from '../secretref.ts';

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
