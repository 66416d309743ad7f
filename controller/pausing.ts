import { ANNOTATION_PAUSED } from '../schemas/keys.ts';
import { type Outcome, pass, wait } from './flow.ts';
import type { KubeObject } from './runtime/object.ts';

/** Nothing is done for an object that is paused, its deletion included; its status is still told (Cluster API's rule). */
export const unpaused = (object: KubeObject): Outcome<never, 'Paused'> =>
  isPaused(object) ? wait('Paused', Infinity) : pass;

/** Somebody asked to leave the object alone. */
export const isPaused = ({ metadata }: KubeObject): boolean => metadata.annotations?.[ANNOTATION_PAUSED] !== undefined;
