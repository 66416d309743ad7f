import type { KubeObject } from '../controller/runtime/object.ts';

/** How many objects a sentence names. */
const MOST_NAMED = 3;

/** Names of some objects, for a sentence: `one, two, three and 4 more`. */
export function someOf(objects: readonly KubeObject[]): string {
  const names = objects.slice(0, MOST_NAMED).map(({ metadata }) => metadata.name);
  const more = objects.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
