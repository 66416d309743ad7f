import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import type { Kind } from '../../schemas/kind.ts';
import type { Default } from './defaults.ts';
import type { Claim, HeldFinalizer } from './protectedkeys.ts';
import type { Rule } from './rule.ts';

/** All that the webhook holds of one kind. */
export interface Table<T extends KubeObject> {
  kind: Kind;
  rules: readonly Rule<T>[];
  defaults: readonly Default<T>[];
  /** Where the kind carries labels and annotations among which there may be protected keys (protectedkeys.ts). */
  guarded: readonly string[];
  /** Fields that say what is whose (protectedkeys.ts); none when absent. */
  claims?: readonly Claim[];
  /** The finalizer that is held by protected annotations (protectedkeys.ts); none when absent. */
  held?: HeldFinalizer;
}

/** What is made of the table of each kind. */
export type ByKind<P> = (kind: { group: string; kind: string }) => P | undefined;

/**
 * Prepares every table once. A kind of another group has nothing prepared: it is none of our business. One of ours without
 * a table is an Error, so that an old webhook does not wave through what a newer one would refuse.
 */
export function byKind<P>(tables: readonly Table<KubeObject>[], prepare: (table: Table<KubeObject>) => P): ByKind<P> {
  const groups = new Set<string>(tables.map(({ kind }) => kind.group));
  const prepared = new Map(tables.map((table) => [keyOf(table.kind), prepare(table)]));
  return ({ group, kind }) => {
    if (!groups.has(group)) return undefined;
    const found = prepared.get(keyOf({ group, kind }));
    if (!found) throw new Error(`no rules for kind ${kind}: this webhook is older than its registration, upgrade it`);
    return found;
  };
}

const keyOf = ({ group, kind }: { group: string; kind: string }): string => `${group}/${kind}`;
