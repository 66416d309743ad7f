import type { Effects } from '../../safety/outage/hold.ts';
import type { MachineSetAction, MachineSetView } from './view.ts';

/** What each action does to the machines of a set. */
export const effects: Effects<MachineSetAction, MachineSetView> = {
  addFinalizer: 'harmless',
  markSelf: 'harmless',
  tellFreeze: 'harmless',
  adopt: 'harmless',
  release: 'harmless',
  propagate: 'harmless',
  annotate: 'harmless',
  create: 'makes',
  delete: 'destroys',
  // The last look for machines that the cache does not show deletes them.
  removeFinalizer: 'destroys',
};
