import * as v from 'valibot';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { kinds } from '../../schemas/kinds.ts';
import type { Permission } from './accessreview.ts';
import { type Facts, type LookUp, NotYetKnown } from './context.ts';
import { type FindTouched, type Touched, touchedIn } from './protectedkeys.ts';
import { type AdmissionRequest, isWrite } from './review.ts';
import {
  type Finding,
  type Judge,
  type JudgeDeletion,
  judgeBy,
  judgeDeletionBy,
  judgeTerminatingBy,
  RuleError,
} from './rule.ts';
import { byKind, type Table } from './table.ts';

/** Everything that speaks against a request, sorted by field. Throws when it cannot be judged. */
export type Validate = (request: AdmissionRequest) => Promise<Finding[]>;

interface Prepared {
  schema: v.GenericSchema;
  judge: Judge<KubeObject>;
  judgeTerminating: Judge<KubeObject>;
  judgeDeletion: JudgeDeletion<KubeObject>;
  touched: FindTouched;
}

/** What judging takes. */
export interface ValidateParts {
  tables: readonly Table<KubeObject>[];
  permission: Permission;
  lookUp: LookUp;
  /** Resolves when a watch has had time to show what was just made. */
  retryDelay: () => Promise<void>;
}

/**
 * Judges by the rules of the tables and guards protected keys and claims; at most one question to the API server a request.
 * An object that is being deleted is exempt from nearly all rules, never from privilege.
 */
export function createValidate({ tables, permission, lookUp, retryDelay }: ValidateParts): Validate {
  const preparedFor = byKind(tables, prepare);
  return async (request) => {
    const facts = lookUp(request.namespace);
    const deletedObject = deleted(request);
    if (deletedObject) return preparedFor(request.kind)?.judgeDeletion(deletedObject, facts) ?? [];
    const written = request.subResource === 'scale' ? scaleWritten(request, facts) : objectWritten(request);
    const prepared = written && preparedFor(written.kind);
    if (!prepared) return [];
    const { now, before } = written;
    const touched = prepared.touched(now, before);
    const judge = () => judged(prepared, { now, before, facts });
    const findings = await withRetry(judge, { dryRun: request.dryRun, retryDelay });
    return [...findings, ...(await guarded(permission, request, touched))].sort(byField);
  };
}

/** The object whose deletion begins with the request. */
function deleted({ operation, subResource, oldObject }: AdmissionRequest): KubeObject | undefined {
  const begins = operation === 'DELETE' && subResource === '' && !oldObject?.metadata.deletionTimestamp;
  return begins ? (oldObject ?? undefined) : undefined;
}

/** Judges once more after the watches had time to show what was just made; a dry run is not retried. */
async function withRetry(
  judge: () => Finding[],
  { dryRun, retryDelay }: { dryRun: boolean; retryDelay: ValidateParts['retryDelay'] },
): Promise<Finding[]> {
  const findings = judge();
  if (!findings.some(mayAppear)) return findings;
  if (dryRun) return findings.map((one) => (one.retryOnMissing ? { ...one, level: 'warn' } : one));
  await retryDelay();
  return judge();
}

const mayAppear = ({ retryOnMissing, level }: Finding): boolean => retryOnMissing === true && level === 'deny';

/** Of the parts of an object only a scale is judged, as what it does to the object. */
function objectWritten({ kind, operation, subResource, object, oldObject }: AdmissionRequest): Written | undefined {
  return object && isWrite(operation) && subResource === ''
    ? { kind, now: object, before: oldObject ?? undefined }
    : undefined;
}

const prepare = ({ kind, rules, guarded, claims, held }: Table<KubeObject>): Prepared => ({
  schema: kind.schema,
  judge: judgeBy(rules),
  judgeTerminating: judgeTerminatingBy(rules),
  judgeDeletion: judgeDeletionBy(rules),
  touched: touchedIn(guarded, { claims, held }),
});

interface Write {
  now: KubeObject;
  before: KubeObject | undefined;
  facts: Facts;
}

/** Findings of the rules. A rule that throws met a shape that the schema refuses, in the new object or the stored one, or a part that is defaulted later. */
function judged({ schema, judge: living, judgeTerminating }: Prepared, { now, before, facts }: Write): Finding[] {
  const judge = before?.metadata.deletionTimestamp ? judgeTerminating : living;
  try {
    return judge(now, before, facts);
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
    const versions = before ? [now, before] : [now];
    const misshapen = versions.flatMap((version) => shapeFindings(schema, version));
    if (misshapen.length > 0) return misshapen;
    const [filled, filledBefore] = versions.map((version) => v.parse(schema, version) as KubeObject);
    return judge(filled ?? now, filledBefore, facts);
  }
}

async function guarded(
  permission: Permission,
  { userInfo, namespace, from }: AdmissionRequest,
  touched: Touched[],
): Promise<Finding[]> {
  if (touched.length === 0) return [];
  const refusal = await refusalOf(permission(userInfo, namespace, from));
  return refusal === undefined ? [] : touched.map((touch) => privilegeFinding(touch, refusal));
}

/** Why the asker may not; undefined when the asker may. */
async function refusalOf(allowed: Promise<boolean>): Promise<string | undefined> {
  try {
    return (await allowed) ? undefined : 'which you do not have; ask for it, or leave the key as it is';
  } catch (error) {
    return `and whether you have it could not be found out (${error instanceof Error ? error.message : error}); try again`;
  }
}

const privilegeFinding = ({ row, field, touch }: Touched, refusal: string): Finding => ({
  rule: row.id,
  level: 'deny',
  field,
  reason: 'FieldValueForbidden',
  message: `is protected, because it ${row.description}: to ${touch} it takes the verb ${row.who} on machines.machine.sapcloud.io, ${refusal}`,
});

const byField = (a: Finding, b: Finding): number => compare(a.field, b.field) || compare(a.rule, b.rule);

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** autoscaling/v1 Scale: the parts that are used. */
interface Scale extends KubeObject {
  spec?: { replicas?: number | undefined } | undefined;
}

/** What rules judge: an object of one of our kinds, before and after a request. */
export interface Written {
  kind: { group: string; kind: string };
  now: KubeObject;
  before: KubeObject | undefined;
}

/**
 * What a request to the subresource `scale` does to the object behind it. A Scale has neither its labels nor its
 * annotations: these are as they are known here, and none while the object is not known. Only spec.replicas differs, so
 * only the rules that look at it judge a scale. Undefined for what has none of our kinds behind it.
 */
export function scaleWritten(
  { resource, object, oldObject, name }: AdmissionRequest,
  facts: Facts,
): Written | undefined {
  const kind = kinds.find(
    ({ group, plural, scale }) => scale && group === resource.group && plural === resource.resource,
  );
  if (!kind || !object) return undefined;
  const stored = storedBehind(object, () => facts.templated(kind.kind, name));
  const scaled = (scale: Scale) => ({ ...stored, spec: { ...stored.spec, replicas: scale.spec?.replicas ?? 0 } });
  return {
    kind: { group: resource.group, kind: kind.kind },
    now: scaled(object),
    before: oldObject ? scaled(oldObject) : undefined,
  };
}

function storedBehind({ metadata }: Scale, find: () => KubeObject | undefined): KubeObject & { spec?: object } {
  try {
    return find() ?? { metadata };
  } catch (error) {
    if (error instanceof NotYetKnown) return { metadata };
    throw error;
  }
}

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
