import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import type { Rule } from '../admission/rule.ts';
import type { SpecPlace } from './places.ts';

/** What is written for a driver fits the JSON Schema that the driver publishes (decisions 6). */
const row = { on: ['create', 'update'], says: "must fit the driver's JSON Schema" } as const;

/** The providerSpec of a class. */
export const classSpecFitsDriver: Rule<MachineClass> = {
  ...row,
  id: 'spec-fits-driver',
  field: 'providerSpec',
  reads: ['provider', 'providerSpec'],
  broken: ({ provider, providerSpec }, _before, facts) =>
    facts.provider(provider ?? '')?.specFaults(providerSpec) ?? [],
};

/** The nodeTemplate of a class, where the driver publishes what it may hold. */
export const nodeTemplateFitsDriver: Rule<MachineClass> = {
  ...row,
  id: 'node-template-fits-driver',
  field: 'nodeTemplate',
  reads: ['provider', 'nodeTemplate'],
  broken: ({ provider, nodeTemplate }, _before, facts) =>
    (nodeTemplate && facts.provider(provider ?? '')?.nodeTemplateFaults(nodeTemplate)) ?? [],
};

/** The providerSpec of a machine without a class. */
export const specFitsDriver = <T extends KubeObject>({ field, idPrefix, of }: SpecPlace<T>): Rule<T> => ({
  ...row,
  copied: true,
  id: `${idPrefix}spec-fits-driver`,
  field: `${field}.providerSpec`,
  reads: [`${field}.provider`, `${field}.providerSpec`],
  broken(now, _before, facts) {
    const { provider, providerSpec } = of(now) ?? {};
    return (providerSpec && facts.provider(provider ?? '')?.specFaults(providerSpec)) ?? [];
  },
});
