import type { ClusterFact } from './readiness.ts';

/** The default target, which can be read. */
export const here: ClusterFact = { at: 'open', name: '', paused: false };
