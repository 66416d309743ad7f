import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import type { MachineSpec } from '../../schemas/machinespec.ts';
import { drivenFields } from '../../schemas/rules/drivenfields.ts';
import type { Facts } from '../admission/context.ts';
import { makerOf } from '../admission/maker.ts';
import type { Rule } from '../admission/rule.ts';
import type { SpecPlace } from './places.ts';

interface OwnField {
  field: string;
  asks(spec: MachineSpec): boolean;
}

/** Fields of a machine's spec that are Drover's own, and that no machine controller of MCM's knows. */
const OWN: readonly OwnField[] = [
  ...drivenFields,
  { field: 'taints', asks: ({ taints }: MachineSpec) => Boolean(taints?.length) },
];

/** The provider that a machine is made by, if that is none of Drover's drivers: another machine controller serves it. */
export function otherProvider(spec: MachineSpec | undefined, { machineClass, provider }: Facts): string | undefined {
  const name = spec?.provider || machineClass(spec?.class?.name ?? '')?.provider;
  return name && provider(name) === undefined ? name : undefined;
}

/** Only a warning: such manifests are taken beside MCM's machine controller, too (hack/decisions/0051 U13). */
export const heededElsewhere = <T extends KubeObject>({ field: at, idPrefix, of }: SpecPlace<T>): Rule<T> => ({
  id: `${idPrefix}heeded-elsewhere`,
  on: ['create', 'update'],
  field: at,
  reads: [...OWN.map(({ field }) => `${at}.${field}`), `${at}.provider`, `${at}.class.name`],
  level: 'warn',
  message:
    'should have no field of Drover’s own, such as deletionPolicy or taints, where another machine controller serves the provider: it heeds none of them',
  validate(now, _before, facts) {
    const spec = of(now);
    const asked = spec ? OWN.filter(({ asks }) => asks(spec)).map(({ field }) => field) : [];
    if (asked.length === 0 || makerOf(now, facts)) return [];
    const name = otherProvider(spec, facts);
    if (name === undefined) return [];
    const message = `is not heeded by the machine controller of provider ${name}, which is no driver of Drover's: it stays in the object, and nothing comes of it`;
    return [...new Set(asked)].map((field) => ({ at: `.${field}`, message }));
  },
});
