import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { drivenFields, isUnsupported } from '../../schemas/rules/drivenfields.ts';
import { type Rule, when } from '../admission/rule.ts';
import type { SpecPlace } from './places.ts';

/**
 * What the driver of a machine cannot do is refused, and not taken and forgotten (decisions 6). Of a class that is not there yet, and
 * of a driver of somebody else, nobody here knows what it can: the controller tells of a Machine what came true all the same,
 * and another rule warns of what a machine controller of somebody else does not heed (heededelsewhere.ts).
 */
export const fieldsPossible = <T extends KubeObject>(place: SpecPlace<T>): readonly Rule<T>[] =>
  drivenFields
    .filter(({ ownOnly }) => !ownOnly || place.idPrefix === '')
    .map((row) => ({
      id: `${place.idPrefix}${row.id}`,
      on: ['create', 'update'],
      field: `${place.field}.${row.field}`,
      reads: [`${place.field}.${row.field}`, `${place.field}.provider`, `${place.field}.class.name`],
      copied: true,
      says: row.says,
      broken(now, _before, { provider, machineClass }) {
        const spec = place.of(now);
        if (!spec || !row.asks(spec)) return [];
        const driver = provider((spec.provider || machineClass(spec.class?.name ?? '')?.provider) ?? '');
        return when(driver !== undefined && isUnsupported(row, spec, driver.can));
      },
    }));
