import { microTimestamp } from '../../controller/runtime/k8s/object.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { Default } from '../admission/defaults.ts';
import { type Rule, when } from '../admission/rule.ts';

/** Clocks differ, and "now" becomes a moment of the past on its way here. */
const LEEWAY_MS = 60_000;

/** A machine is on or off from the start: there is nothing yet that could be suspended (hack/spec/vm-operator.md 3.5.4). */
export const notSuspendedOnCreate: Rule<Machine> = {
  id: 'not-suspended-on-create',
  on: ['create'],
  field: 'spec.powerState',
  message: 'cannot be Suspended for a new machine: write PoweredOn or PoweredOff, and suspend it once it runs',
  validate: ({ spec }) => when(spec?.powerState === 'Suspended'),
};

/** A moment that is over would restart the VM at once, which is rarely meant. A manifest that is applied anew may hold one. */
export const restartAhead: Rule<Machine> = {
  id: 'restart-ahead',
  on: ['update'],
  field: 'spec.nextRestartTime',
  message: 'must not be moved into the past; write a moment to come, or "now" to restart at once',
  validate: ({ spec }, _before, { now }) => when(Date.parse(spec?.nextRestartTime ?? '') < now - LEEWAY_MS),
};

/** A restart asked for without a date (hack/spec/vm-operator.md 3.4); to the microsecond, so that two in a row differ. */
export const restartNow: Default<Machine> = {
  id: 'restart-now',
  field: 'spec.nextRestartTime',
  replaces: true,
  description: 'stays absent; "now" becomes the moment of admission',
  value: ({ spec }, { at }) => (spec?.nextRestartTime === 'now' ? microTimestamp(at) : undefined),
};
