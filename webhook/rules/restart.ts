import { microTimestamp } from '../../controller/runtime/clock.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { Default } from '../admission/defaults.ts';

/** A restart asked for without a date (VMOP 3.4); to the microsecond, so that two in a row differ. */
export const restartNow: Default<Machine> = {
  id: 'restart-now',
  field: 'spec.nextRestartTime',
  replaces: true,
  says: 'stays absent; "now" becomes the moment of admission',
  value: ({ spec }, { at }) => (spec?.nextRestartTime === 'now' ? microTimestamp(at) : undefined),
};
