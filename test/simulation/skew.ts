import { type Clock, sleepOn } from '../../controller/runtime/clock.ts';
import type { Chance } from './chance.ts';

/** How far clocks are ahead of the true time, milliseconds. */
export interface Skews {
  /** Of each controller process: they run on different hosts. */
  processes: readonly number[];
  control: number;
  target: number;
  kubelets: number;
  cloud: number;
}

/** Where processes run. */
export interface Host {
  /** How far its clock is ahead of the true time, milliseconds; somebody may set it. */
  aheadMs: number;
}

/** As wrong as clocks may be, milliseconds, and how often they are wrong at all. */
const MOST_MS = 300_000;
const RATE = 0.4;

/** The clocks of a run: right in most runs, each wrong on its own in the others. */
export function skewsOf(chance: Chance): Skews {
  const isWrong = chance.happens(RATE);
  const some = () => (isWrong ? Math.round(chance.between(-MOST_MS, MOST_MS)) : 0);
  return { processes: [some(), some(), some()], control: some(), target: some(), kubelets: some(), cloud: some() };
}

/** What a clock is made of. */
export type Ticking = Pick<Clock, 'now' | 'monotonic' | 'after'>;

/** A clock that is ahead of another one, milliseconds; its timers are as long. */
export function clockOff(clock: Ticking, ahead: () => number): Clock {
  const after = (wait: number, run: () => void) => clock.after(wait, run);
  return {
    now: () => clock.now() + ahead(),
    monotonic: () => clock.monotonic(),
    after,
    sleep: (wait, signal) => sleepOn({ after }, wait, signal),
  };
}
