import type * as v from 'valibot';
import type { KubeObject } from '../../../controller/runtime/k8s/object.ts';
import { parsePath } from '../../admission/fieldpath.ts';
import { readsOf } from '../../admission/rule.ts';
import type { Table } from '../../admission/table.ts';
import { clusterTable } from './cluster.ts';
import { machineTable } from './machine.ts';
import { machineClassTable } from './machineclass.ts';
import { machineDeploymentTable } from './machinedeployment.ts';
import { machineDrainRuleTable } from './machinedrainrule.ts';
import { machineSetTable } from './machineset.ts';

/** Every kind that the webhook looks at. Registration and reference are generated from here (hack/generate/webhook.ts). */
export const tables: readonly Table<KubeObject>[] = [
  machineClassTable,
  machineTable,
  machineSetTable,
  machineDeploymentTable,
  clusterTable,
  machineDrainRuleTable,
];

/**
 * Everything that is wrong with the tables themselves; the program does not start with such.
 * An id may serve several kinds, but must then mean the same everywhere.
 */
export function tableFindings(all: readonly Table<KubeObject>[]): string[] {
  const rules = all.flatMap((table) => table.rules.map((rule) => ({ table, rule })));
  return [
    ...all.flatMap(({ kind, rules, defaults }) => [
      ...repeated(rules.map(({ id }) => id)).map((id) => `${kind.kind}: rule id ${id} is taken twice`),
      ...repeated(defaults.map(({ id }) => id)).map((id) => `${kind.kind}: default id ${id} is taken twice`),
    ]),
    ...rules
      .filter(({ rule }) => rule.on.length === 0)
      .map(({ table, rule }) => `${table.kind.kind}: rule ${rule.id} is on no operation`),
    ...all.flatMap(unknownFields),
    ...rules
      .filter(({ rule }) => rules.some((other) => other.rule.id === rule.id && other.rule.message !== rule.message))
      .map(({ table, rule }) => `${table.kind.kind}: rule ${rule.id} says something else than in another table`),
  ];
}

function unknownFields({ kind, rules, defaults, guarded, claims = [] }: Table<KubeObject>): string[] {
  const fields = [
    ...rules.flatMap((rule) => [rule.field, ...readsOf(rule)]),
    ...defaults.map(({ field }) => field),
    ...guarded,
    ...claims.map(({ field }) => field),
  ];
  return [...new Set(fields)]
    .filter((field) => !hasField(kind.schema, field))
    .map((field) => `${kind.kind}: there is no field ${field}`);
}

const repeated = (ids: readonly string[]): string[] => [...new Set(ids.filter((id, at) => ids.indexOf(id) !== at))];

/** The parts of valibot's schemas by which one gets from a field to those below it. */
interface Parts {
  /** Of optional and nullable ones. */
  wrapped?: v.GenericSchema;
  /** Of objects. */
  entries?: Readonly<Record<string, v.GenericSchema>>;
  /** Of records, whose keys are free. */
  value?: v.GenericSchema;
}

/** Whether objects of this schema may have the field. */
export function hasField(schema: v.GenericSchema, field: string): boolean {
  let at: v.GenericSchema | undefined = schema;
  for (const segment of parsePath(field)) at = at && below(at, segment);
  return at !== undefined;
}

function below(schema: v.GenericSchema, segment: string): v.GenericSchema | undefined {
  const { wrapped, entries, value }: Parts = schema as Parts;
  if (wrapped) return below(wrapped, segment);
  return entries ? entries[segment] : value;
}
