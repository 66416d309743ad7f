import type { KubeObject } from '../controller/runtime/object.ts';
import type { Kind } from '../schemas/kind.ts';
import type { Default } from './defaults.ts';
import type { Rule } from './rules.ts';

/** All that the webhook holds of one kind. */
export interface Table<T extends KubeObject> {
  kind: Kind;
  rules: readonly Rule<T>[];
  defaults: readonly Default<T>[];
  /** Where the kind carries labels and annotations among which there may be protected keys (privilege.ts). */
  guarded: readonly string[];
}
