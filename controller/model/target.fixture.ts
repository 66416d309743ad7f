import type { Target, Targets } from './target.ts';

/** One target, or none, whatever the labels say. */
export const oneTarget = (target: Target | undefined): Targets => ({
  of: () => (target ? { at: 'open', target } : { at: 'none' }),
  all: () => (target ? [target] : []),
});
