import type { Journal } from '../journal.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Events } from '../runtime/events.ts';
import type { Slots } from '../runtime/slots.ts';
import type { Urgency } from '../urgency.ts';
import type { MachineEffects } from './apply.ts';
import type { Meter } from './meter.ts';
import type { MachineSources } from './observe.ts';

/** All that the Machine controller reads and writes with. */
export interface MachineParts extends MachineSources, MachineEffects {
  clock: Clock;
  journal: Journal;
  meter: Meter;
  /** Bounds how many workers wait for targets at a time (targetlanes.ts). */
  lanes: Slots;
  events: Events;
  urgency: Urgency;
}
