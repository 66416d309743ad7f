import * as v from 'valibot';
import type { Finding } from './rules.ts';

/**
 * Why an object is none of its kind. The API server has checked that before it asks a validating webhook; this is for
 * the object on which a rule stumbled all the same, because the CRD in the cluster is another or the caller is no API server.
 */
export function shapeFindings(schema: v.GenericSchema, object: unknown): Finding[] {
  const { issues } = v.safeParse(schema, object);
  return (issues ?? []).map((issue) => ({
    rule: 'schema',
    level: 'deny',
    field: v.getDotPath(issue) ?? 'metadata',
    reason: 'FieldValueInvalid',
    message: issue.message,
  }));
}
