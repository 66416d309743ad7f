import { type MachineClass, machineClassKind } from '../schemas/machineclass.ts';
import { priorityInRange } from './priority.ts';
import type { Table } from './table.ts';

/** MachineClass: nothing but what holds for every kind. */
export const machineClassTable: Table<MachineClass> = {
  kind: machineClassKind,
  guarded: ['metadata'],
  defaults: [],
  rules: [priorityInRange],
};
