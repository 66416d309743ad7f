import type { Phase } from '../../schemas/machinestatus.ts';
import { phases } from './phases.ts';

/** Whether a Machine may go from one phase to another, or stay in it. */
export const mayFollow = (before: Phase, after: Phase): boolean =>
  before === after ||
  phases[before].next.includes(after) ||
  (before !== 'Terminating' && (after === 'Failed' || after === 'Terminating'));
