import type { KubeObject } from '../controller/runtime/object.ts';
import { fillBy, type PatchOperation } from './defaults.ts';
import { type AdmissionRequest, isExempt, isPartial } from './review.ts';
import { byKind, type Table } from './table.ts';

/** What is to be filled into the object of a request. */
export type Mutate = (request: AdmissionRequest) => PatchOperation[];

/** Fills in the defaults of the tables; changes the request's own object on the way. */
export function createMutate(tables: readonly Table<KubeObject>[]): Mutate {
  const fillFor = byKind(tables, ({ defaults }) => fillBy(defaults));
  return (request) => {
    const fill = fillFor(request.kind);
    if (!fill || !request.object || isExempt(request)) return [];
    const before = request.oldObject ?? undefined;
    return fill(request.object, { before, partial: isPartial(request) });
  };
}
