import { AsyncLocalStorage } from 'node:async_hooks';
import type { Asker } from './sharing.ts';

/**
 * On whose behalf the code that runs was begun. It goes along with promises and timers, so that what a pass over a key calls knows
 * the key's urgency and flow without a parameter in each of a hundred places.
 */
const askers = new AsyncLocalStorage<Asker>();

/** What no reconcile has begun: watches, lists, and what drivers do by themselves. One party among the others. */
const PROGRAM: Asker = { priority: 100, flow: [] };

/** Runs this on behalf of an asker; so is all that it begins. */
export const askingAs = <R>(asker: Asker, run: () => R): R => askers.run(asker, run);

/** Runs this on behalf of the program: what it begins outlives the pass that began it. */
export const asProgram = <R>(run: () => R): R => askers.run(PROGRAM, run);

/** On whose behalf this is called. */
export const currentAsker = (): Asker => askers.getStore() ?? PROGRAM;
