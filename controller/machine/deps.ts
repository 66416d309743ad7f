import type { DecisionLog } from '../framework/decisionlog.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Events } from '../runtime/events/events.ts';
import type { Slots } from '../runtime/fairness/slots.ts';
import type { Urgency } from '../state/urgency.ts';
import type { MachineEffects } from './actions.ts';
import type { MachineSources } from './observe.ts';
import type { Meter } from './recorder.ts';

/** All that the Machine controller reads and writes with. */
export interface MachineParts extends MachineSources, MachineEffects {
  clock: Clock;
  decisionLog: DecisionLog;
  meter: Meter;
  /** Bounds how many workers wait for targets at a time (targets/pool.ts). */
  lanes: Slots;
  events: Events;
  urgency: Urgency;
}
