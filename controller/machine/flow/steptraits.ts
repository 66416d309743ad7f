import { steps } from './reasons.ts';

/** What is to be known of a step of a Machine's life beside what it decides. */
interface StepTraits {
  /**
   * What follows a write of the step's that was refused (writefailures.ts): all behind it `waits`; or nothing is held up, in that the flow
   * passes over a step that only writes, and that a step that has more to say goes on `itself`: it looks at `view.refused`, and does
   * not ask for that write.
   */
  refused: 'waits' | 'passed' | 'itself';
  /** Its waits have a time-out: what a Node shows, or fails to show, does not count during an outage (gating.ts). */
  timed?: true;
}

/** The traits of each step: a new one has to say what it is like. */
const traits = {
  Unpaused: { refused: 'itself' },
  SpecValid: { refused: 'waits' },
  Classified: { refused: 'waits' },
  FieldsSupported: { refused: 'waits' },
  Guarded: { refused: 'waits' },
  Remembered: { refused: 'itself' },
  Placed: { refused: 'waits' },
  PreservationApplied: { refused: 'passed' },
  Created: { refused: 'waits' },
  Claimed: { refused: 'itself' },
  Initialized: { refused: 'waits' },
  HotUpdated: { refused: 'passed' },
  Joined: { refused: 'waits', timed: true },
  Wanted: { refused: 'passed' },
  Synced: { refused: 'itself' },
  InPlaceUpdated: { refused: 'passed', timed: true },
  Healthy: { refused: 'waits', timed: true },
  Opened: { refused: 'passed' },
  DeletionAllowed: { refused: 'waits' },
  Located: { refused: 'itself' },
  VmRetained: { refused: 'waits' },
  Drained: { refused: 'itself', timed: true },
  Detached: { refused: 'itself', timed: true },
  VmDeleted: { refused: 'waits' },
  VolumesReleased: { refused: 'itself', timed: true },
  NodeDeleted: { refused: 'passed' },
  Released: { refused: 'waits' },
} as const satisfies Record<keyof typeof steps, StepTraits>;

/** The traits of a step by name; undefined for what is none, such as a flow that has settled. */
export const traitsOf = (step: string): StepTraits | undefined =>
  Object.hasOwn(traits, step) ? traits[step as keyof typeof traits] : undefined;

/** The steps that come after that one, in the order of the flows. */
export const stepsBehind = (step: keyof typeof steps): string[] => NAMES.slice(NAMES.indexOf(step) + 1);

const NAMES = Object.keys(steps);
