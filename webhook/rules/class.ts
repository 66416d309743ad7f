import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import type { MachineSpec } from '../../schemas/machinespec.ts';
import type { Rule } from '../admission/rule.ts';
import type { Breach } from '../providers/breach.ts';
import type { SpecPlace } from './places.ts';

/** A machine is made from a class, or says itself what it is made from (MCM 11.1, 11.4). */
export const classNamed = <T extends KubeObject>({ field, idPrefix, of }: SpecPlace<T>): Rule<T> => ({
  id: `${idPrefix}class-named`,
  on: ['create', 'update'],
  field: `${field}.class`,
  reads: [`${field}.class`, `${field}.provider`],
  reason: 'FieldValueRequired',
  copied: true,
  says: 'must name a MachineClass by kind and name, unless provider and providerSpec say what the machine is made from',
  broken: (now) => missing(of(now) ?? {}),
});

function missing({ class: named, provider }: MachineSpec): Breach[] {
  if (provider) return [];
  if (!named?.kind && !named?.name) return [{}];
  return [
    ...(named.kind ? [] : [{ at: '.kind', says: 'must be MachineClass' }]),
    ...(named.name ? [] : [{ at: '.name', says: 'must be the name of a MachineClass of this namespace' }]),
  ];
}
