import type { ListOptions } from './api.ts';

/** Which objects of a resource are meant; all when empty. */
export type Selection = Pick<ListOptions, 'namespace' | 'labelSelector' | 'fieldSelector'>;

/** The part of the options that says which objects are meant; what is undefined is left out. */
export const selectionIn = ({ namespace, labelSelector, fieldSelector }: Selection): Selection => ({
  ...(namespace !== undefined && { namespace }),
  ...(labelSelector !== undefined && { labelSelector }),
  ...(fieldSelector !== undefined && { fieldSelector }),
});
