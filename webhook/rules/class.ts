import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import type { MachineSpec } from '../../schemas/machinespec.ts';
import { isSubdomain } from '../../schemas/selector.ts';
import { type Rule, when } from '../admission/rule.ts';
import type { Violation } from '../providers/violation.ts';
import type { SpecPlace } from './places.ts';

/** A machine is made from a class, or says itself what it is made from (hack/spec/mcm.md 11.1, 11.4). */
export const classNamed = <T extends KubeObject>({ field, idPrefix, of }: SpecPlace<T>): Rule<T> => ({
  id: `${idPrefix}class-named`,
  on: ['create', 'update'],
  field: `${field}.class`,
  reads: [`${field}.class`, `${field}.provider`],
  reason: 'FieldValueRequired',
  warnIfCopied: true,
  message:
    'must name a MachineClass by kind and name, unless provider and providerSpec say what the machine is made from',
  validate: (now) => missing(of(now) ?? {}),
});

function missing({ class: named, provider }: MachineSpec): Violation[] {
  if (provider) return [];
  if (!named?.kind && !named?.name) return [{}];
  return [
    ...(named.kind ? [] : [{ at: '.kind', message: 'must be MachineClass' }]),
    ...(named.name ? [] : [{ at: '.name', message: 'must be the name of a MachineClass of this namespace' }]),
  ];
}

/** Only a warning: whoever applies a folder of manifests may well apply the class last. */
export const classThere = <T extends KubeObject>({ field, idPrefix, of }: SpecPlace<T>): Rule<T> => ({
  id: `${idPrefix}class-there`,
  on: ['create', 'update'],
  field: `${field}.class.name`,
  level: 'warn',
  message:
    'names a MachineClass that is not in the namespace yet: no machine is made before it is; see `kubectl get machineclasses`',
  validate(now, _before, { machineClass }) {
    const name = of(now)?.class?.name;
    return when(Boolean(name) && machineClass(name ?? '') === undefined);
  },
});

const NO_NAME = 'must be the name of a Secret: lower case letters, digits, - and .';
const FOREIGN =
  "must be the class's own namespace: whoever may write a class could read any Secret of the cluster through its machines; copy the Secret here";

/**
 * References to Secrets. MCM sees no Secret outside its own namespace (hack/spec/mcm.md 6.3), so none of its classes names another;
 * Drover serves many namespaces, and must not lend its eyes to one that has no right to see into another.
 */
export const secretRefRules: readonly Rule<MachineClass>[] = [
  refComplete('secret-ref', 'secretRef'),
  refComplete('credentials-secret-ref', 'credentialsSecretRef'),
];

function refComplete(id: string, field: 'secretRef' | 'credentialsSecretRef'): Rule<MachineClass> {
  return {
    id,
    on: ['create', 'update'],
    field,
    message: 'must name a Secret of the same namespace',
    validate: (now) => violations(now[field], now.metadata.namespace),
  };
}

/** A reference without anything in it is what typed Go clients write for none. */
function violations(ref: MachineClass['secretRef'], own: string | undefined): Violation[] {
  if (!ref?.name && !ref?.namespace) return [];
  return [
    ...(isSubdomain(ref.name ?? '') ? [] : [{ at: '.name', message: NO_NAME }]),
    ...(ref.namespace && ref.namespace !== own ? [{ at: '.namespace', message: FOREIGN }] : []),
  ];
}

const CAPACITY = ['cpu', 'gpu', 'memory'] as const;
const PLACE = ['instanceType', 'region', 'zone'] as const;

/** What MCM demands of a class that describes its Nodes (hack/spec/mcm.md 11.5); Drover makes machines without it, too. */
export const nodeTemplateComplete: Rule<MachineClass> = {
  id: 'node-template-complete',
  on: ['create', 'update'],
  field: 'nodeTemplate',
  level: 'warn',
  message:
    'must have the capacities cpu, gpu and memory, and instanceType, region and zone, or a machine controller of MCM makes no machine of it; write "0" for what there is none of',
  validate: ({ nodeTemplate }) => {
    if (!nodeTemplate) return [];
    const capacity = CAPACITY.filter((key) => nodeTemplate.capacity?.[key] === undefined);
    return [
      ...capacity.map((key) => ({
        at: `.capacity[${key}]`,
        message: `is missing: machine controllers of MCM and autoscalers that scale from zero ask for it; write "0" when there is none`,
      })),
      ...PLACE.filter((key) => !nodeTemplate[key]).map((key) => ({
        at: `.${key}`,
        message: 'is empty: machine controllers of MCM make no machine of such a class',
      })),
    ];
  },
};
