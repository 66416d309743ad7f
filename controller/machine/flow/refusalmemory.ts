import { type RefusedAction, RefusedActions, type Streak } from '../../flow/refusedactions.ts';
import { Repeats } from '../../flow/repeats.ts';
import type { Halts, Refusal } from './view.ts';

/** A write that was refused. */
interface RefusedWrite extends RefusedAction {
  step: string;
  message: string;
  /** Changes with whatever the write may have been made from. */
  mark: string;
  /** The step stands back: it holds up nothing behind it. */
  standsBack: boolean;
  streak: JudgedStreak;
}

/** Since when it has been judged and refused; absent while nobody has judged it. */
type JudgedStreak = Streak & { judgedSince?: number };

/** The same moment on both clocks. */
interface Moment {
  now: number;
  monotonic: number;
}

/** Remembers which writes were refused, so that none is tried again at once, and that those that may hold up nothing do not. */
export class RefusedWrites {
  readonly repeats = new Repeats();
  readonly #byMachine = new RefusedActions<RefusedWrite>();

  /** How often the write came to nothing before; undefined when it was not, or of other facts. */
  streakOf(uid: string, { write, mark }: { write: string; mark: string }): JudgedStreak | undefined {
    const known = this.#byMachine.of(uid, write);
    return known?.mark === mark ? known.streak : undefined;
  }

  /** @param write see `writeKey` */
  add(uid: string, write: string, refused: RefusedWrite): void {
    this.#byMachine.add(uid, write, refused);
  }

  /**
   * What is not tried again before that moment: steps that stand back with their writes, and writes that hold up what is behind them. What was
   * refused of other facts is tried again.
   */
  of(
    uid: string,
    { mark, ...at }: Moment & { mark: string },
  ): { refused: ReadonlyMap<string, Refusal>; halted: Halts } {
    const holding = [...this.#byMachine.at(uid, at.monotonic)].filter(([, refused]) => refused.mark === mark);
    const refused = new Map<string, Refusal>();
    const halted = new Map<string, Refusal>();
    for (const [write, { step, message, retryAt, standsBack }] of holding) {
      const refusal = { message, retryAt: at.now + (retryAt - at.monotonic) };
      if (standsBack) refused.set(step, refusal).set(write, refusal);
      else halted.set(write, refusal);
    }
    return { refused, halted };
  }

  /** The write has succeeded. */
  overcome(uid: string, write: string): void {
    this.#byMachine.overcome(uid, write);
  }

  /** The Machine is gone. */
  forget(uid: string): void {
    this.#byMachine.forget(uid);
    this.repeats.end(uid);
  }
}
