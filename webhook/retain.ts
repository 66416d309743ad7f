import type { KubeObject } from '../controller/runtime/object.ts';
import { type Rule, when } from './rules.ts';
import type { SpecPlace } from './specplace.ts';

/** A VM that stays behind is marked by its driver, or a sweep would take it for an orphan (decisions 7). */
export const retainPossible = <T extends KubeObject>({ field, idPrefix, of }: SpecPlace<T>): Rule<T> => ({
  id: `${idPrefix}retain-possible`,
  on: ['create', 'update'],
  field: `${field}.deletionPolicy`,
  reads: [`${field}.deletionPolicy`, `${field}.provider`, `${field}.class.name`],
  copied: true,
  says: 'cannot be Retain: the driver cannot mark a VM as left on purpose; write Delete',
  broken(now, _before, { provider, machineClass }) {
    const spec = of(now);
    if (spec?.deletionPolicy !== 'Retain') return [];
    const name = spec.provider || machineClass(spec.class?.name ?? '')?.provider;
    return when(provider(name ?? '')?.retains === false);
  },
});
