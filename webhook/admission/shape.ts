import * as v from 'valibot';
import type { Finding } from './rule.ts';

/**
 * Why an object is none of its kind. The API server has checked that before it asks a validating webhook; this is for
 * the object on which a rule stumbled all the same, because the CRD in the cluster is another or the caller is no API server.
 */
export function shapeFindings(schema: v.GenericSchema, object: unknown): Finding[] {
  const { issues } = v.safeParse(schema, object);
  return (issues ?? []).map((issue) => ({
    rule: 'schema',
    level: 'deny',
    field: fieldOf(issue),
    reason: 'FieldValueInvalid',
    message: issue.message,
  }));
}

/** The path of an issue in Kubernetes' own form: `spec.taints[0].key`. */
const fieldOf = ({ path }: v.BaseIssue<unknown>): string =>
  (path ?? [])
    .map(({ key }) => (typeof key === 'number' ? `[${key}]` : `.${key}`))
    .join('')
    .slice(1);
