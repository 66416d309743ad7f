import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { type Rule, when } from '../admission/rule.ts';
import type { SpecPlace } from './places.ts';

/** Only a warning: whoever applies a folder of manifests may well apply the class last. */
export const classThere = <T extends KubeObject>({ field, idPrefix, of }: SpecPlace<T>): Rule<T> => ({
  id: `${idPrefix}class-there`,
  on: ['create', 'update'],
  field: `${field}.class.name`,
  level: 'warn',
  says: 'names a MachineClass that is not in the namespace yet: no machine is made before it is; see `kubectl get machineclasses`',
  broken(now, _before, { machineClass }) {
    const name = of(now)?.class?.name;
    return when(Boolean(name) && machineClass(name ?? '') === undefined);
  },
});
