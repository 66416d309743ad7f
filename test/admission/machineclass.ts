import { apiVersion } from '../../schemas/kinds.ts';
import { type MachineClass, machineClassKind } from '../../schemas/machineclass.ts';
import { builder, type CaseTable } from './case.ts';
import { classPartCases } from './classparts.ts';
import { classUseCases } from './classuse.ts';
import { metadataCases } from './metadata.ts';

const machineClass = builder<MachineClass>({
  apiVersion,
  kind: 'MachineClass',
  metadata: { name: 'small' },
  provider: 'virtual',
  providerSpec: {},
});

/** Requests about MachineClasses, and the rules that refuse them. */
export const machineClassCases: CaseTable<MachineClass> = {
  kind: machineClassKind,
  cases: [
    { what: 'a plain class', now: machineClass(), refused: [] },
    ...classPartCases(machineClass),
    ...classUseCases(machineClass),
    ...metadataCases(machineClass),
  ],
};
