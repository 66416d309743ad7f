import type { Clock } from '../../controller/runtime/clock.ts';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { type Kept, keptWarnings, type Shield, shieldBy } from './compatibility.ts';
import type { Facts, LookUp } from './context.ts';
import { type Fill, fillBy } from './defaults.ts';
import type { PatchOperation } from './fieldpath.ts';
import { type AdmissionRequest, isExempt, isPartial } from './review.ts';
import { byKind, type Table } from './table.ts';

/** What is changed in the object of a request, and what its author is told about it. */
export interface Mutation {
  patch: PatchOperation[];
  warnings: string[];
}

/** What is to be changed in the object of a request. */
export type Mutate = (request: AdmissionRequest) => Mutation;

interface Prepared {
  fill: Fill<KubeObject>;
  /** Of what is being deleted: puts back what stays whoever writes it. */
  restore: Fill<KubeObject>;
  shield: Shield;
}

/** What mutating takes. */
export interface MutateParts {
  tables: readonly Table<KubeObject>[];
  clock: Clock;
  lookUp: LookUp;
}

/** Puts back what was dropped unknowingly, then fills in the defaults; changes the request's own object on the way. */
export function createMutate({ tables, clock, lookUp }: MutateParts): Mutate {
  const preparedFor = byKind(tables, prepare);
  return (request) => {
    const prepared = preparedFor(request.kind);
    const { object } = request;
    if (!prepared || !object) return { patch: [], warnings: [] };
    const kept = keep(prepared.shield, request);
    const fill = fillFor(prepared, request);
    const filled = fill?.(object, writeOf(request, lookUp(request.namespace), clock.now())) ?? [];
    return { patch: [...kept.patch, ...filled], warnings: keptWarnings(kept.fields) };
  };
}

function fillFor({ fill, restore }: Prepared, request: AdmissionRequest): Fill<KubeObject> | undefined {
  if (!isExempt(request)) return fill;
  return request.operation === 'UPDATE' && request.subResource === '' ? restore : undefined;
}

const prepare = ({ kind, defaults }: Table<KubeObject>): Prepared => ({
  fill: fillBy(defaults),
  restore: fillBy(defaults.flatMap((row) => (row.stays ? [row.stays.with, row] : []))),
  shield: shieldBy(kind.superset),
});

/** An object that is being deleted is shielded, too: what becomes of its VM is written there. */
function keep(shield: Shield, request: AdmissionRequest): Kept {
  const { object, oldObject, operation, subResource } = request;
  const shielded = operation === 'UPDATE' && ['', 'status'].includes(subResource) && !isPartial(request);
  if (!shielded || !object || !oldObject) return { patch: [], fields: [] };
  return shield(object, oldObject, subResource === 'status' ? 'status' : 'object');
}

const writeOf = (request: AdmissionRequest, facts: Facts, at: number) => ({
  before: request.oldObject ?? undefined,
  partial: isPartial(request),
  user: request.userInfo.username,
  at,
  facts,
});
