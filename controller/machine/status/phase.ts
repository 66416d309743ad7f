import type { Machine } from '../../../schemas/machine.ts';
import { type Decision, SETTLED } from '../../flow/flow.ts';
import type { LivingStep } from '../flow/flow.ts';
import { UPDATE_PHASES } from '../flow/inplaceupdate.ts';
import { FATAL } from '../flow/predicates.ts';
import type { MachineAction, MachineView } from '../flow/view.ts';
import { makingFailure } from './lastoperation.ts';

/** A phase, in MCM's words. */
export type Phase = NonNullable<NonNullable<NonNullable<Machine['status']>['currentStatus']>['phase']>;

/** The phase of a living Machine after a decision of the step, from that of before. */
type PhaseOfStep = (before: string, view: MachineView) => Phase;

const asBefore: PhaseOfStep = (before) => before as Phase;

const whileMade =
  (otherwise: PhaseOfStep): PhaseOfStep =>
  (before, view) =>
    makingFailure(view) ? 'CrashLoopBackOff' : otherwise(before, view);

const RAN: ReadonlySet<string> = new Set(['Running', 'Available', 'Unknown', 'InPlaceUpdateSuccessful']);

const whileUnhealthy: PhaseOfStep = (before) => {
  if (before === 'Failed') return 'Failed';
  return RAN.has(before) ? 'Unknown' : 'Pending';
};

/** What each step makes of the phase: a new one has to say so. */
const phases: Readonly<Record<LivingStep, PhaseOfStep>> = {
  Unpaused: asBefore,
  SpecValid: asBefore,
  Classified: asBefore,
  FieldsSupported: asBefore,
  Guarded: asBefore,
  Remembered: asBefore,
  Placed: asBefore,
  PreservationApplied: asBefore,
  Created: whileMade(asBefore),
  Claimed: asBefore,
  Initialized: whileMade(() => 'Pending'),
  HotUpdated: asBefore,
  Joined: () => 'Pending',
  Wanted: asBefore,
  Synced: asBefore,
  InPlaceUpdated: asBefore,
  Healthy: whileUnhealthy,
  Opened: asBefore,
};

/** The phase of the Machine after a decision (MCM 6.2 to 6.7). */
export function phaseAfter(view: MachineView, { step, outcome, held }: Decision<MachineAction>): Phase {
  const before = view.machine.status?.currentStatus?.phase ?? '';
  if (view.machine.metadata.deletionTimestamp) return 'Terminating';
  if (held !== undefined) return before as Phase;
  if (outcome.kind === 'fail' && FATAL.has(outcome.reason)) return 'Failed';
  if (step === SETTLED) return view.node.at === 'none' ? 'Available' : 'Running';
  const updating = 'reason' in outcome && UPDATE_PHASES[outcome.reason];
  return updating || (Object.hasOwn(phases, step) ? phases[step as LivingStep] : asBefore)(before, view);
}
