import type { Refusal } from './view.ts';

/** How long a refused write is let alone: rights and rules change by hand. */
const RETRY_MS = 600_000;

/** Remembers which steps' writes were refused, so that one that cannot be made holds up nothing behind it. */
export class Refusals {
  readonly #byMachine = new Map<string, Map<string, Refusal>>();

  /** @param now milliseconds since the epoch */
  add(uid: string, step: string, { message, now }: { message: string; now: number }): void {
    const refused = this.#byMachine.get(uid) ?? new Map<string, Refusal>();
    this.#byMachine.set(uid, refused.set(step, { message, retryAt: now + RETRY_MS }));
  }

  /** The Machine's steps that stand back at that moment. */
  of(uid: string, now: number): ReadonlyMap<string, Refusal> {
    const refused = [...(this.#byMachine.get(uid) ?? [])];
    return new Map(refused.filter(([, { retryAt }]) => retryAt > now));
  }

  /** The Machine is gone. */
  forget(uid: string): void {
    this.#byMachine.delete(uid);
  }
}
