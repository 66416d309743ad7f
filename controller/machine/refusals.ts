import type { Refusal } from './view.ts';

/**
 * A refusal as it is remembered: `mark` changes with whatever the write may have been made from, `retryAt` is a moment of
 * the monotonic clock.
 */
interface Remembered extends Refusal {
  mark: string;
}

/** The same moment on both clocks. */
interface Moment {
  now: number;
  monotonic: number;
}

/** Remembers which steps' writes were refused, so that one that cannot be made holds up nothing behind it. */
export class Refusals {
  readonly #byMachine = new Map<string, Map<string, Remembered>>();

  add(uid: string, step: string, refusal: Remembered): void {
    const refused = this.#byMachine.get(uid) ?? new Map<string, Remembered>();
    this.#byMachine.set(uid, refused.set(step, refusal));
  }

  /** The Machine's steps that stand back at that moment: what was refused of other facts is tried again. */
  of(uid: string, { mark, ...at }: Moment & { mark: string }): ReadonlyMap<string, Refusal> {
    const refused = [...(this.#byMachine.get(uid) ?? [])];
    const holding = refused.filter(([, refusal]) => refusal.retryAt > at.monotonic && refusal.mark === mark);
    return new Map(
      holding.map(([step, { message, retryAt }]) => [step, { message, retryAt: at.now + (retryAt - at.monotonic) }]),
    );
  }

  /** The Machine is gone. */
  forget(uid: string): void {
    this.#byMachine.delete(uid);
  }
}
