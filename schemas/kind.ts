import type * as v from 'valibot';
import type { SupersetField } from './superset.ts';

/** A column of `kubectl get`. */
export interface Column {
  name: string;
  type: 'string' | 'integer' | 'date';
  jsonPath: string;
  /** Shown only with `-o wide`. */
  wide?: true;
}

/** The API group of the kinds that are wire-compatible with MCM. */
export const machineGroup = 'machine.sapcloud.io';

/** The API group of the kinds that are Drover's alone (hack/decisions/0000 2). */
export const droverGroup = 'drover.dev';

/** The only version of both groups. */
export const version = 'v1alpha1';

/** All that is to be said of a kind beside its fields. */
export interface Kind {
  group: typeof machineGroup | typeof droverGroup;
  kind: string;
  plural: string;
  shortName: string;
  /** What an object of this kind is, in one sentence. */
  sentence: string;
  schema: v.GenericSchema;
  /** Whether status is a subresource. */
  status: boolean;
  /** Whether the kind is scaled through the subresource `scale`. */
  scale: boolean;
  columns: readonly Column[];
  /** The fields that MCM does not know. */
  superset: readonly SupersetField[];
}

/** What `apiVersion` says in objects of a kind. */
export const apiVersionOf = ({ group }: Pick<Kind, 'group'>): string => `${group}/${version}`;

/** When the object was made; without own columns kubectl shows it by itself. */
export const age: Column = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/** Whether a condition of this type holds: True, False, Unknown, or empty where nobody has said. */
export const conditionColumn = (type: string, conditions = '.status.conditions'): Column => ({
  name: type,
  type: 'string',
  jsonPath: `${conditions}[?(@.type=="${type}")].status`,
});
