import { Repeats } from '../repeats.ts';
import type { Halts, Refusal } from './view.ts';

/** A write that was refused. Times are milliseconds of the monotonic clock. */
interface Refused {
  step: string;
  message: string;
  retryAt: number;
  /** Changes with whatever the write may have been made from. */
  mark: string;
  /** The step stands back: it holds up nothing behind it. */
  standsBack: boolean;
}

/** How often a write was refused without a success between, and since when. */
export interface Streak {
  count: number;
  since: number;
}

/** The same moment on both clocks. */
interface Moment {
  now: number;
  monotonic: number;
}

/** Remembers which writes were refused, so that none is tried again at once, and that those that may hold up nothing do not. */
export class Refusals {
  readonly repeats = new Repeats();
  readonly #byMachine = new Map<string, Map<string, Refused & { streak: Streak }>>();

  /** How often the write was refused before; undefined when it was not, or of other facts. */
  streakOf(uid: string, { write, mark }: { write: string; mark: string }): Streak | undefined {
    const known = this.#byMachine.get(uid)?.get(write);
    return known?.mark === mark ? known.streak : undefined;
  }

  /** @param write see `writeKey` */
  add(uid: string, write: string, refused: Refused & { streak: Streak }): void {
    const known = this.#byMachine.get(uid) ?? new Map<string, Refused & { streak: Streak }>();
    this.#byMachine.set(uid, known.set(write, refused));
  }

  /**
   * What is not tried again before that moment: steps that stand back, and writes that hold up what is behind them. What was
   * refused of other facts is tried again.
   */
  of(
    uid: string,
    { mark, ...at }: Moment & { mark: string },
  ): { refused: ReadonlyMap<string, Refusal>; halted: Halts } {
    const known = [...(this.#byMachine.get(uid) ?? [])];
    const holding = known.filter(([, refused]) => refused.retryAt > at.monotonic && refused.mark === mark);
    const refused = new Map<string, Refusal>();
    const halted = new Map<string, Refusal>();
    for (const [write, { step, message, retryAt, standsBack }] of holding) {
      const refusal = { message, retryAt: at.now + (retryAt - at.monotonic) };
      if (standsBack) refused.set(step, refusal);
      else halted.set(write, refusal);
    }
    return { refused, halted };
  }

  /** The write has succeeded. */
  overcome(uid: string, write: string): void {
    this.#byMachine.get(uid)?.delete(write);
  }

  /** The Machine is gone. */
  forget(uid: string): void {
    this.#byMachine.delete(uid);
    this.repeats.end(uid);
  }
}
