import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import { nearest } from '../../schemas/nearest.ts';
import type { Facts } from '../admission/context.ts';
import type { Rule } from '../admission/rule.ts';
import type { Breach } from '../providers/breach.ts';
import type { SpecPlace } from './places.ts';

/**
 * Only a warning: another machine controller may serve that provider (decisions 6). Nothing else is said of it then,
 * because nobody here knows what its providerSpec may hold.
 */
const row = {
  on: ['create', 'update'],
  level: 'warn',
  says: 'names none of the drivers of Drover, which leaves such machines to another machine controller and does not check their providerSpec',
} as const;

/** For a class. */
export const classDriverThere: Rule<MachineClass> = {
  ...row,
  id: 'driver-there',
  field: 'provider',
  broken: ({ provider }, _before, facts) => unclaimed(provider ?? '', facts),
};

/** For a machine without a class. */
export const driverThere = <T extends KubeObject>({ field, idPrefix, of }: SpecPlace<T>): Rule<T> => ({
  ...row,
  id: `${idPrefix}driver-there`,
  field: `${field}.provider`,
  broken(now, _before, facts) {
    const provider = of(now)?.provider;
    return provider === undefined ? [] : unclaimed(provider, facts);
  },
});

function unclaimed(name: string, { provider, drivers }: Facts): Breach[] {
  if (provider(name)) return [];
  const meant = nearest(name.toLowerCase(), drivers);
  return [meant === undefined ? {} : { says: `${row.says}; did you mean ${meant}?` }];
}
