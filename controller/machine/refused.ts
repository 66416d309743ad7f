import { pass, type Step, type StepState } from '../flow.ts';
import type { Reason } from './reasons.ts';
import type { MachineAction, MachineView } from './view.ts';

/** Steps whose refused write holds up nothing behind them. */
const STANDING_BACK: ReadonlySet<string> = new Set([
  'Unpaused',
  'Remembered',
  'Claimed',
  'PreservationApplied',
  'HotUpdated',
  'Synced',
  'InPlaceUpdated',
  'Opened',
  'Drained',
  'Detached',
  'VolumesReleased',
]);

/**
 * Whether a refused write of this step is noted, and holds up nothing; clocks that cannot be written hold up a drain. A Node is
 * left behind only where a policy of the API server keeps it from going: other refusals pass, as when rights come late.
 */
export const standsBack = (step: string, action: MachineAction, isByPolicy: boolean): boolean =>
  step === 'NodeDeleted' ? isByPolicy : STANDING_BACK.has(step) && action.do !== 'recordDeletion';

/** A step that only writes to the Node stands back while its write is refused: what follows must not wait for it. */
export const unlessRefused =
  (name: string, step: Step<MachineView, MachineAction, Reason>): Step<MachineView, MachineAction, Reason> =>
  (view) =>
    view.refused.has(name) ? pass : step(view);

/** Shows a step that stands back as what it is: not satisfied. */
export function refusedState({ refused }: MachineView, state: StepState): StepState {
  const refusal = refused.get(state.type);
  if (!refusal || state.status !== 'True') return state;
  return { type: state.type, status: 'False', reason: 'WriteRefused', message: refusal.message };
}

/** Milliseconds until a refused write is tried again. */
export const refusalLeft = ({ refused, now }: MachineView): number =>
  Math.min(...[...refused.values()].map(({ retryAt }) => retryAt - now));
