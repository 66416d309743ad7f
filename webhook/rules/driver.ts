import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import { nearest } from '../../schemas/nearest.ts';
import { drivenFields, isUnsupported } from '../../schemas/rules/drivenfields.ts';
import type { Facts } from '../admission/context.ts';
import { type Rule, when } from '../admission/rule.ts';
import type { Violation } from '../providers/violation.ts';
import { classThere } from './class.ts';
import { heededElsewhere } from './elsewhere.ts';
import type { SpecPlace } from './places.ts';

/**
 * Only a warning: another machine controller may serve that provider (hack/decisions/0000 6). Nothing else is said of it then,
 * because nobody here knows what its providerSpec may hold.
 */
const present = {
  on: ['create', 'update'],
  level: 'warn',
  message:
    'names none of the drivers of Drover, which leaves such machines to another machine controller and does not check their providerSpec',
} as const;

/** For a class. */
export const classDriverThere: Rule<MachineClass> = {
  ...present,
  id: 'driver-there',
  field: 'provider',
  validate: ({ provider }, _before, facts) => unclaimed(provider ?? '', facts),
};

/** For a machine without a class. */
export const driverThere = <T extends KubeObject>({ field, idPrefix, of }: SpecPlace<T>): Rule<T> => ({
  ...present,
  id: `${idPrefix}driver-there`,
  field: `${field}.provider`,
  validate(now, _before, facts) {
    const provider = of(now)?.provider;
    return provider === undefined ? [] : unclaimed(provider, facts);
  },
});

function unclaimed(name: string, { provider, drivers }: Facts): Violation[] {
  if (provider(name)) return [];
  const meant = nearest(name.toLowerCase(), drivers);
  return [meant === undefined ? {} : { message: `${present.message}; did you mean ${meant}?` }];
}

/** What is written for a driver fits the JSON Schema that the driver publishes (hack/decisions/0000 6). */
const fitting = { on: ['create', 'update'], message: "must fit the driver's JSON Schema" } as const;

/** The providerSpec of a class. */
export const classSpecFitsDriver: Rule<MachineClass> = {
  ...fitting,
  id: 'spec-fits-driver',
  field: 'providerSpec',
  reads: ['provider', 'providerSpec'],
  validate: ({ provider, providerSpec }, _before, facts) =>
    facts.provider(provider ?? '')?.specFaults(providerSpec) ?? [],
};

/** The nodeTemplate of a class, where the driver publishes what it may hold. */
export const nodeTemplateFitsDriver: Rule<MachineClass> = {
  ...fitting,
  id: 'node-template-fits-driver',
  field: 'nodeTemplate',
  reads: ['provider', 'nodeTemplate'],
  validate: ({ provider, nodeTemplate }, _before, facts) =>
    (nodeTemplate && facts.provider(provider ?? '')?.nodeTemplateFaults(nodeTemplate)) ?? [],
};

/** The providerSpec of a machine without a class. */
export const specFitsDriver = <T extends KubeObject>({ field, idPrefix, of }: SpecPlace<T>): Rule<T> => ({
  ...fitting,
  warnIfCopied: true,
  id: `${idPrefix}spec-fits-driver`,
  field: `${field}.providerSpec`,
  reads: [`${field}.provider`, `${field}.providerSpec`],
  validate(now, _before, facts) {
    const { provider, providerSpec } = of(now) ?? {};
    return (providerSpec && facts.provider(provider ?? '')?.specFaults(providerSpec)) ?? [];
  },
});

/** What holds for the class, or the provider and providerSpec, that machines are made from. */
export const madeFromRules = <T extends KubeObject>(place: SpecPlace<T>): readonly Rule<T>[] => [
  classThere(place),
  driverThere(place),
  specFitsDriver(place),
  ...fieldsPossible(place),
  heededElsewhere(place),
];

/**
 * What the driver of a machine cannot do is refused, and not taken and forgotten (hack/decisions/0000 6). Of a class that is not there yet, and
 * of a driver of somebody else, nobody here knows what it can: the controller tells of a Machine what came true all the same,
 * and another rule warns of what a machine controller of somebody else does not heed (elsewhere.ts).
 */
export const fieldsPossible = <T extends KubeObject>(place: SpecPlace<T>): readonly Rule<T>[] =>
  drivenFields
    .filter(({ ownOnly }) => !ownOnly || place.idPrefix === '')
    .map((row) => ({
      id: `${place.idPrefix}${row.id}`,
      on: ['create', 'update'],
      field: `${place.field}.${row.field}`,
      reads: [`${place.field}.${row.field}`, `${place.field}.provider`, `${place.field}.class.name`],
      warnIfCopied: true,
      message: row.message,
      validate(now, _before, { provider, machineClass }) {
        const spec = place.of(now);
        if (!spec || !row.asks(spec)) return [];
        const driver = provider((spec.provider || machineClass(spec.class?.name ?? '')?.provider) ?? '');
        return when(driver !== undefined && isUnsupported(row, spec, driver.can));
      },
    }));
