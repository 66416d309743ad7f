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

/** All that is to be said of a kind beside its fields. */
export interface Kind {
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

/** When the object was made; without own columns kubectl shows it by itself. */
export const age: Column = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };
