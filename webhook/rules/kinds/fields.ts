import type * as v from 'valibot';
import { parsePath } from '../../admission/fieldpath.ts';

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
